func stringForAnInvocation(_ path: String) async throws {
    // error: 'invoke(_:_:arguments:encoding:content:returning:)' is unavailable: say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal
    let titles: [String] = try await api.invoke(.get, path)
    print(titles)
}
