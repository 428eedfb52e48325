import HalyardAsync

extension Route {
    static let login = { @Sendable (email: String, password: String) in
        Route(path: "/login", method: .post, params: ["email": email, "password": password])
    }
}
