func calledAtOnce() async throws {
    // error: cannot convert value of type 'String' to expected argument type 'String'
    let user = try await api.send(Endpoint(.get, "/users/{id}", .path("id"), returning: User.self)("7"))
    print(user)
}
