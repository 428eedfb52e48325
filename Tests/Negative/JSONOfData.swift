// error: 'init(_:)' is unavailable: write try JSON(parsing: data)
let jsonOfData = JSON(Data())
