// The messages of these declarations are their documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import HalyardFoundation
public import HalyardHTTP

// Names of the other modules' methods. Where only Halyard is imported, they do not compile, and the error says which
// module to import. Where the other module is imported too, the compiler prefers its method, which is available. A check
// compares this file with the methods that the articles show.

/// The result type of methods that another module provides. It contains no values.
public struct MissingModule: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public func makeAsyncIterator() -> MissingModule { self }
    public mutating func next() async throws -> MissingModule? { nil }

    /// Calls of these functions do not compile.
    fileprivate static func never<Value>() -> Value { while true {} }
}

extension Request {
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func response() async throws -> HTTPResponse { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func data() async throws -> Data { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func text() async throws -> String { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func json() async throws -> JSON { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func void() async throws {}
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    @_disfavoredOverload public func value<T>(_ serializer: ResponseSerializer<T>) async throws -> T {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to await an object")
    @_disfavoredOverload public func object<T: Decodable>(_ type: T.Type, at keyPath: String = "") async throws -> T {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to await an object")
    @_disfavoredOverload public func object<T: Decodable>(at keyPath: String = "") async throws -> T {
        MissingModule.never()
    }
    // With HalyardAsync, it is the choice for an object whose type is not known.
    @available(
        *, unavailable, message: "import HalyardAsync, and write the type: let user: User = ... or object(User.self)"
    )
    @_disfavoredOverload public func object(at keyPath: String = "") async throws -> MissingModule {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to await a download")
    @_disfavoredOverload public func download(
        to url: URL, resuming: Bool = false, sha256: String? = nil
    ) async throws -> URL { url }
    @available(*, unavailable, message: "import HalyardAsync to await a download")
    @_disfavoredOverload public func download(into folder: URL) async throws -> URL { folder }
    @available(*, unavailable, message: "import HalyardAsync for a sequence of progress")
    @_disfavoredOverload public func progress(_ direction: TransferProgress.Direction) -> MissingModule {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public var chunks: MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public var lines: MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public var events: MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public func lines<T: Decodable>(of type: T.Type) -> MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public func events<T: Decodable>(of type: T.Type, until terminator: String? = nil)
        -> MissingModule
    {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public func elements<T: Decodable>(of type: T.Type, at keyPath: String = "") -> MissingModule {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public func sequence<T>(_ serializer: ResponseSerializer<T>) -> MissingModule {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardCodable to decode objects")
    @_disfavoredOverload public func responseObject<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "", _ handler: @escaping @MainActor (Response<T>) -> Void
    ) -> Request { self }
    @available(*, unavailable, message: "import HalyardFutures for futures")
    @_disfavoredOverload public func future<T>(of type: T.Type = T.self, at keyPath: String = "") -> T? { nil }
    @available(*, unavailable, message: "import HalyardFutures for futures")
    @_disfavoredOverload public func futureResponse() -> MissingModule { MissingModule.never() }
}

extension HTTPProvider {
    @available(*, unavailable, message: "import HalyardAsync to read pages")
    @_disfavoredOverload public func pages(_ route: Route, by paging: MissingModule) -> MissingModule { paging }
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    @_disfavoredOverload public func watch(
        _ route: Route, _ read: (Request) -> MissingModule, from next: (MissingModule) -> Route
    ) -> MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync for resumable uploads")
    @_disfavoredOverload public func upload(
        _ file: URL, to route: Route, resuming: MissingModule, onEvent: (MissingModule) -> Void = { _ in }
    ) async throws -> HTTPResponse { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync for uploads in parts")
    @_disfavoredOverload public func upload(
        _ file: URL, inPartsOf size: Int64, atOnce limit: Int = 4, onProgress: (TransferProgress) -> Void = { _ in },
        route: (MissingModule) -> Route?
    ) async throws -> MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardAsync for resumable uploads")
    @_disfavoredOverload public func discardUpload(_ file: URL, to route: Route, resuming: MissingModule) async throws {
    }
    @available(*, unavailable, message: "import HalyardAsync to await a download")
    @_disfavoredOverload public func download(
        _ route: Route, to file: URL, connections: Int, sha256: String? = nil,
        onProgress: (TransferProgress) -> Void = { _ in }
    ) async throws -> URL { file }
    @available(*, unavailable, message: "import HalyardWebSocket for WebSockets")
    @_disfavoredOverload public func webSocket(
        _ route: Route, subprotocols: [String] = []
    ) async throws -> MissingModule { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardWebSocket for WebSockets")
    @_disfavoredOverload public func withWebSocket<T>(
        _ route: Route, subprotocols: [String] = [], _ body: (MissingModule) async throws -> T
    ) async throws -> T { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardEndpoints to invoke a method and a path")
    @_disfavoredOverload public func invoke<T>(
        _ method: HTTPMethod, _ path: RoutePath, arguments: Parameters = [:], encoding: ParameterEncoding? = nil,
        content: RouteBody? = nil, returning type: T.Type = T.self
    ) async throws -> T { MissingModule.never() }
}

extension RouteBody {
    @available(*, unavailable, message: "import HalyardCodable to send an Encodable value")
    @_disfavoredOverload public static func json<T: Encodable & Sendable>(_ value: T) -> RouteBody {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardCodable to send a value with a serializer")
    @_disfavoredOverload public static func value<T: Sendable>(_ value: T) -> RouteBody { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardCodable to send an Encodable value")
    @_disfavoredOverload public static func form<T: Encodable & Sendable>(encoding object: T) -> RouteBody {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardCodable to send changes")
    @_disfavoredOverload public static func changes<T: Encodable & Sendable>(from old: T, to new: T) -> RouteBody {
        MissingModule.never()
    }
}

extension RouteBody {
    // The choice for a literal with a value that is neither JSON nor a parameter.
    @available(
        *, unavailable,
        message: "make the body a Codable type; or use JSON(value), and `as Parameters` after an object inside"
    )
    @_disfavoredOverload public static func json(_ members: KeyValuePairs<String, Any>) -> RouteBody {
        MissingModule.never()
    }
}

extension HTTPResponse {
    @available(*, unavailable, message: "import HalyardCodable to decode objects")
    @_disfavoredOverload public func object<T: Decodable>(_ type: T.Type = T.self, at keyPath: String = "") throws -> T
    {
        MissingModule.never()
    }
}

extension JSON {
    @available(*, unavailable, message: "import HalyardCodable to decode objects")
    @_disfavoredOverload public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardCodable to send changes")
    @_disfavoredOverload public static func changes(from old: JSON, to new: JSON) -> JSON { MissingModule.never() }
}

extension ObjectMapper {
    @available(*, unavailable, message: "import HalyardCodable to encode objects")
    @_disfavoredOverload public func json<T: Encodable>(_ value: T) throws -> JSON { MissingModule.never() }
}

extension ResponseSerializer {
    @available(*, unavailable, message: "import HalyardCodable to decode objects")
    @_disfavoredOverload public static func object(_ type: Value.Type = Value.self, at keyPath: String = "") -> Self {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardCodable to decode objects")
    @_disfavoredOverload public static func value(of type: Value.Type = Value.self) -> Self { MissingModule.never() }
}

extension RequestConfigurable {
    @available(*, unavailable, message: "import HalyardCache for a cache")
    @_disfavoredOverload public func cache(_ mode: MissingModule) -> Self { self }
}

extension Failures {
    @available(*, unavailable, message: "import HalyardCodable to decode errors")
    @_disfavoredOverload public static func json<T: Error & Decodable>(_ type: T.Type) -> Failures {
        MissingModule.never()
    }
}

extension Authentication {
    @available(*, unavailable, message: "import HalyardOAuth to sign in")
    @_disfavoredOverload public static func oauth(_ session: MissingModule) -> Authentication { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardSigning for signatures")
    @_disfavoredOverload public static func messageSignature(_ key: MissingModule) -> Authentication {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardSigning for signatures")
    @_disfavoredOverload public static func aws(
        _ credentials: MissingModule, region: String, service: String
    ) -> Authentication { MissingModule.never() }
}

extension ClientPolicy {
    @available(*, unavailable, message: "import HalyardSigning to check digests")
    @_disfavoredOverload public static func checkingDigests() -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardCache for a cache")
    @_disfavoredOverload public static func cache(_ cache: MissingModule) -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardTracing for traces")
    @_disfavoredOverload public static func tracing() -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardLimits for limits")
    @_disfavoredOverload public static func rateLimit(
        _ count: Int, per time: Duration, burst: Int? = nil, maximumWait: Duration = .zero, by key: RequestKey = .host
    ) -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardLimits for limits")
    @_disfavoredOverload public static func concurrency(_ limit: Int, by key: RequestKey) -> ClientPolicy {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardLimits for limits")
    @_disfavoredOverload public static func concurrency(perHost limit: Int) -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardLimits for limits")
    @_disfavoredOverload public static func bulkhead(_ limit: Int, queue: Int, by key: RequestKey = .host)
        -> ClientPolicy
    {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardLimits for a circuit breaker")
    @_disfavoredOverload public static func circuitBreaker(
        failures: Int = 5, ratio: Double = 0.5, within window: Duration = .zero, pause: Duration = .zero,
        probes: Int = 1
    ) -> ClientPolicy { MissingModule.never() }
    @available(*, unavailable, message: "import HalyardLimits for hedged requests")
    @_disfavoredOverload public static func hedging(after delay: Duration, budget: Double = 0) -> ClientPolicy {
        MissingModule.never()
    }
    @available(*, unavailable, message: "import HalyardLimits for shared requests")
    @_disfavoredOverload public static func coalescing(ignoring ignored: Set<String> = []) -> ClientPolicy {
        MissingModule.never()
    }
}

extension MissingModule {
    // Pagings, caches and their modes, as the methods above take them.
    /// See ``MissingModule``.
    public static var link: MissingModule { never() }
    /// See ``MissingModule``.
    public static func url(at keyPath: String) -> MissingModule { never() }
    /// See ``MissingModule``.
    public static func cursor(at keyPath: String, as parameter: String, while hasMore: String? = nil) -> MissingModule {
        never()
    }
    /// See ``MissingModule``.
    public static func number(as parameter: String = "", first: Int = 1, items: String = "") -> MissingModule {
        never()
    }
    /// See ``MissingModule``.
    public static func offset(as parameter: String = "", items: String = "", total: String? = nil) -> MissingModule {
        never()
    }
    /// See ``MissingModule``.
    public static func memory(limit: Int = 0) -> MissingModule { never() }
    /// See ``MissingModule``.
    public static var standard: MissingModule { never() }
    /// See ``MissingModule``.
    public static var tus: MissingModule { never() }
    /// See ``MissingModule``.
    public static var draft: MissingModule { never() }
    /// See ``MissingModule``.
    public static var detected: MissingModule { never() }
    /// See ``MissingModule``.
    public static var reload: MissingModule { never() }
    /// See ``MissingModule``.
    public static var revalidate: MissingModule { never() }
    /// See ``MissingModule``.
    public static var ignore: MissingModule { never() }
    /// See ``MissingModule``.
    public static var cacheOnly: MissingModule { never() }
    /// See ``MissingModule``.
    public static func ttl(_ time: Duration) -> MissingModule { never() }
    /// See ``MissingModule``.
    public static func disk(at folder: URL, limit: Int = 0) -> MissingModule { never() }
}

extension MultipartPart {
    // What a part is called in an endpoint.
    @available(*, unavailable, renamed: "text(_:name:)")
    @_disfavoredOverload public static func field(_ text: String, name: String) -> MultipartPart {
        MissingModule.never()
    }
}
