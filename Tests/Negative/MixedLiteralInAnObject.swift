func mixedLiteralInAnObject(_ page: Int, _ name: String) {
    // error: 'json' is unavailable: make the body a Codable type; or use JSON(value), and `as Parameters` after an object inside
    _ = Route(path: "/users", method: .post, body: .json(["range": ["page": page, "name": name], "page": page]))
}
