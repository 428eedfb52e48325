func wrongTypeForAnOptional(_ user: User) async throws {
    // error: failed to produce diagnostic for expression; please submit a bug report (https://swift.org/contributing/#reporting-bugs)
    _ = try await api.send(People.patch(user, "42", "18"))
}
