// error: referencing static method 'query(_:as:)' on 'EndpointArgument' requires that 'User' conform to 'ParameterConvertible'
let wrongArgument = Endpoint(.get, "/users", .query("user", as: User.self))
