// error: referencing static method 'json' on 'EndpointArgument' requires that 'SignUp' conform to 'Encodable'
let notCodable = Endpoint(.post, "/users", .json(SignUp.self))
