func nilForAValue(_ user: User) async throws {
    // error: 'nil' is not compatible with expected argument type 'String'
    _ = try await api.send(People.patch(user, nil, nil))
}
