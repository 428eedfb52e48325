// error: referencing static method 'query(_:as:)' on 'Argument' requires that 'User' conform to 'ParameterConvertible'
let wrongArgument = Endpoint(.get, "/users", .query("user", as: User.self))
