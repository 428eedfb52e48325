func stringForAnInvocationOfNothing(_ path: String) async throws {
    // error: cannot convert value of type 'String' to expected argument type 'RoutePath'
    try await api.invoke(.delete, path, arguments: ["dry": true])
}
