public import HalyardFoundation
public import HalyardHTTP

/// A small real HTTP/1.1 server on 127.0.0.1, for tests of what goes over the wire.
///
/// ```swift
/// let server = try LoopbackServer()
///     .on(.get, "/user/{id}", .json(User(id: "1", name: "Ann")))
///     .on(.post, "/login", .status(503, retryAfter: 2), .json(login))
///     .on(.put, "/echo") { request in .data(request.body) }
/// let user: User = try await MusicAPI(baseURL: server.baseURL).request(.user("1")).object()
/// #expect(server.requests.map(\.target) == ["/user/1"])
/// ```
///
/// Make one per test: each has a port of its own, picked by the system, and ends with its last reference. It keeps
/// connections alive, takes pipelined requests, and answers 400 to what breaks RFC 9112. There is no TLS.
public final class LoopbackServer: Sendable {
    /// Why there is no server.
    public struct StartError: Error, LocalizedError, CustomStringConvertible {
        /// The system call that failed, and the system's reason.
        public let description: String
        /// What failed, for a person to read.
        public var errorDescription: String? { description }
    }

    /// `http://127.0.0.1:PORT`, without a slash at its end.
    public let baseURL: URL
    /// The port that the system picked.
    public let port: Int

    private let core: ServerCore
    private let listener: Listener

    /// Listens on 127.0.0.1 at a free port.
    ///
    /// - Parameter recordLimit: how many ``requests`` are kept, the latest ones; a long run keeps few. All unless given.
    /// - Throws: ``StartError`` where the system has no socket or thread left.
    public init(recordLimit: Int = .max) throws(StartError) {
        core = ServerCore(recordLimit: recordLimit)
        do throws(Socket.Failure) { listener = try Listener(core) } catch {
            throw StartError(description: "The loopback server cannot start: \(error.call): \(error.reason)")
        }
        port = listener.port
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            listener.stop()
            throw StartError(description: "The loopback server's port \(port) makes no URL")
        }
        baseURL = url
    }

    deinit { stop() }

    /// Closes the port and every connection. What is being answered is broken off. Later calls do nothing.
    ///
    /// The records stay; the stubs, with whatever their closures hold, are let go.
    public func stop() {
        if core.stop() { listener.stop() }
    }
}

extension LoopbackServer {
    /// Answers requests of that method and pattern, each with the next response; the last one repeats.
    ///
    /// Replaces an earlier stub of the same method and pattern. In a pattern, `{name}` stands for one segment of the
    /// path and is found in ``RecordedRequest/pathParameters``; `*` as the last segment stands for any rest. All else
    /// is compared as on the wire, percent-encoded. With `?` and a query, only that very query matches. Where several
    /// patterns match, the more specific one answers: `/user/me` before `/user/{id}` before `/user/*`.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ response: MockResponse, _ more: MockResponse...
    ) -> Self {
        core.set(method, pattern, .sequence([response] + more))
        return self
    }

    /// Answers requests of that method and pattern with what `answer` makes of them.
    ///
    /// It runs on the connection's own thread, for several connections at once, and may block. An error that it throws
    /// is answered as a 500 with the error's text. Where it uses the server, let it capture the server weakly: else
    /// the server lives until ``stop()``.
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ pattern: String, _ answer: @escaping @Sendable (RecordedRequest) throws -> MockResponse
    ) -> Self {
        core.set(method, pattern, .closure(answer))
        return self
    }

    /// Every request so far, the latest ones where `init` was given a limit, in the order in which they were complete;
    /// each stands here before it is answered.
    ///
    /// All are kept, with their bodies, for as long as the server lives.
    public var requests: [RecordedRequest] { core.requests }

    /// How many connections were accepted so far.
    public var connectionCount: Int { core.accepted }

    /// How many connections are open.
    public var openConnectionCount: Int { core.open }
}
