func stringForAnInvocation(_ path: String) async throws {
    // error: cannot convert value of type 'String' to expected argument type 'RoutePath'
    let titles: [String] = try await api.invoke(.get, path)
    print(titles)
}
