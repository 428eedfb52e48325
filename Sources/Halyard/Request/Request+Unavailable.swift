public import HalyardFoundation

// Names of the other modules' methods. Where only Halyard is imported, they do not compile, and the error says which
// module to import. Where the other module is imported too, the compiler prefers its method, which is available.
//
// `object()` is not here: with it, the compiler finds no error message for a type that it cannot infer.

extension Request {
    /// Does not compile: `import HalyardAsync` for the method that returns the body.
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    public func data() async throws -> Data { Data() }

    /// Does not compile: `import HalyardAsync` for the method that returns the text.
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    public func text() async throws -> String { "" }

    /// Does not compile: `import HalyardAsync` for the method that returns the JSON value.
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    public func json() async throws -> JSON { .null }

    /// Does not compile: `import HalyardAsync` for the method that ignores the body.
    @available(*, unavailable, message: "import HalyardAsync to await a response")
    public func void() async throws {}

    /// Does not compile: `import HalyardAsync` for the method that downloads to a file.
    @available(*, unavailable, message: "import HalyardAsync to await a download")
    public func download(to url: URL, resuming: Bool = false) async throws -> URL { url }

    /// Does not compile: `import HalyardAsync` for the stream of chunks.
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    public var chunks: AsyncStream<Data> { AsyncStream { $0.finish() } }

    /// Does not compile: `import HalyardAsync` for the stream of lines.
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    public var lines: AsyncStream<String> { AsyncStream { $0.finish() } }

    /// Does not compile: `import HalyardAsync` for the stream of events.
    @available(*, unavailable, message: "import HalyardAsync to read a stream")
    public var events: AsyncStream<String> { AsyncStream { $0.finish() } }

    /// Does not compile: `import HalyardFutures` for the method that returns a future.
    @available(*, unavailable, message: "import HalyardFutures for futures")
    public func future<Value>(of type: Value.Type = Value.self) -> Value? { nil }
}
