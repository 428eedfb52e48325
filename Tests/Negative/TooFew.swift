func tooFew(_ user: User) async throws {
    // error: instance method 'callAsFunction' requires the types '(User, String, Int?)' and '(User, String)' be equivalent
    _ = try await api.send(People.patch(user, "42"))
}
