// error: cannot convert value of type 'User' to expected argument type 'RouteBody'
let structAsABody = Route(path: "/users", method: .post, body: User())
