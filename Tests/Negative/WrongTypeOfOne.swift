func wrongTypeOfOne() async throws {
    // error: cannot convert value of type 'Int' to expected argument type 'String'
    _ = try await api.send(People.find(42))
}
