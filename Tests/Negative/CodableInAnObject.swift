func codableInAnObject(_ user: User, _ page: Int) {
    // error: 'json' is unavailable: make the body a Codable type; or use JSON(value), and `as Parameters` after an object inside
    _ = Route(path: "/users", method: .post, body: .json(["user": user, "page": page]))
}
