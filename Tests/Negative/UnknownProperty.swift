// error: value of type 'SignUp' has no member 'nickname'
let signUp = Endpoint(.post, "/users", .group(SignUp.self, .init(\.nickname, .field("name"))))
