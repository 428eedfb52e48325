func structInParameters(_ user: User) -> Route {
    // error: cannot convert value of type 'User' to expected dictionary value type '(any ParameterConvertible)?'
    Route(path: "/users", method: .post, params: ["user": user, "page": 1])
}
