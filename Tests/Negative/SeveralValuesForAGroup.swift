func severalValuesForAGroup() async throws {
    // error: instance method 'callAsFunction' requires the types '(_: SignUp)' and '(String, String)' be equivalent
    _ = try await api.send(People.signUp("sailors", "Ann"))
}
