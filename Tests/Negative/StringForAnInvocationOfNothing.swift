func stringForAnInvocationOfNothing(_ path: String) async throws {
    // error: 'invoke(_:_:arguments:encoding:content:)' is unavailable: say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal
    try await api.invoke(.delete, path, arguments: ["dry": true])
}
