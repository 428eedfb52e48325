public import HalyardFutures

// A `String` in a variable does not say what it is. Literals are RoutePaths and compile, because the compiler prefers
// functions that are available.
extension HTTPProvider {
    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
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

    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
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

    /// Does not compile: a `String` in a variable does not say whether it is text to escape or a path.
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
