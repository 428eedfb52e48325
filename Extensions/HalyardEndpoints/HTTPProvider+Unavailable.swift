public import HalyardFutures

// A string in a variable does not say what it is. Literals are RoutePaths and never meant here: the compiler takes what is
// available first.
extension HTTPProvider {
    /// A path in a variable: say what it is.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: Value.Type = Value.self
    ) async throws -> Value {
        try await invoke(method, RoutePath(verbatim: path), returning: type)
    }

    /// A path in a variable: say what it is.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    public func invoke(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil
    ) async throws {
        try await invoke(method, RoutePath(verbatim: path))
    }

    /// A path in a variable: say what it is.
    @available(
        *, unavailable,
        message: "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal"
    )
    @discardableResult
    public func invoke<Value: Sendable>(
        _ method: HTTPMethod, _ path: String, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, resultHandler: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Request {
        invoke(method, RoutePath(verbatim: path), resultHandler: resultHandler)
    }
}
