func uninferredResult() async throws {
    // error: generic parameter 'T' could not be inferred
    let user = try await api.request(.me).object()
    print(user)
}
