func unknownEndpoint() async throws {
    // error: generic parameter 'Output' could not be inferred
    _ = try await api.send(.you)
}
