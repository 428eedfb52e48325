import HalyardEndpoints

/// Access tokens.
enum Sessions {
    static let token = Endpoint(
        .post, "/token", .field("user"), .field("password"), encoding: .form,
        returning: Token.self)

    struct Token: Codable, Sendable {
        let accessToken: String
    }
}
