// error: referencing static method 'json' on 'Argument' requires that 'SignUp' conform to 'Encodable'
let notCodable = Endpoint(.post, "/users", .json(SignUp.self))
