func uninferredResult() async throws {
    // error: 'object(at:)' is unavailable: import HalyardAsync, and write the type: let user: User = ... or object(User.self)
    let user = try await api.request(.me).object()
    print(user)
}
