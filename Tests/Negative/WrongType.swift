func wrongType(_ user: User) async throws {
    // error: cannot convert value of type 'Int' to expected argument type 'String'
    _ = try await api.send(People.patch(user, 42, nil))
}
