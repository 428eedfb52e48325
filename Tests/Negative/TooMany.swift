func tooMany() async throws {
    // error: instance method 'callAsFunction' requires the types '(_: String)' and '(String, String)' be equivalent
    _ = try await api.send(People.find("42", "43"))
}
