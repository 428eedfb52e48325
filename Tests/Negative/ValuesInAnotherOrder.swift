func valuesInAnotherOrder(_ user: User) async throws {
    // error: cannot convert value of type 'User' to expected argument type 'String'
    _ = try await api.send(People.patch("7", user, 18))
}
