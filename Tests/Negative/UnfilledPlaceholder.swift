func unfilledPlaceholder() async throws {
    // error: cannot convert value of type 'Endpoint<String, User>' to expected argument type 'Endpoint<Void, User>'
    _ = try await api.send(People.find)
}
