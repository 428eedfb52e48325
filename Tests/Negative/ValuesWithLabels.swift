func valuesWithLabels(_ user: User) async throws {
    // error: extra arguments at positions #2, #3 in call
    _ = try await api.send(People.patch(user, id: "7", age: 18))
}
