public import HalyardFoundation
import HalyardHTTP

/// A small HTTP/1.1 server on 127.0.0.1, for tests over a real connection.
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
/// Create one server for each test. It uses a free port, and stops when the last reference is released. It keeps
/// connections open, accepts pipelined requests, and responds with 400 to a request that violates RFC 9112. With a
/// ``ServerCertificate``, it uses TLS. It does not support HTTP/2.
public final class LoopbackServer: StubHost {
    /// `http://127.0.0.1:PORT` and the base path, without a trailing slash. `https` with TLS.
    public let baseURL: URL
    /// The port, chosen by the system.
    public let port: Int

    private let core: ServerCore
    private let listener: Listener

    /// Starts a server on 127.0.0.1 at a free port.
    ///
    /// TLS needs OpenSSL 1.1.1 or 3: `libssl.so` on Linux, and Homebrew's `openssl@3` on macOS. A client that does not
    /// use TLS, or does not trust the certificate, is disconnected.
    ///
    /// - Parameters:
    ///   - certificate: The certificate of a server with TLS. Defaults to `nil`: no TLS.
    ///   - basePath: The path of ``baseURL``, such as `/v1`. Patterns match the whole path, or the path after this one,
    ///     as with a ``StubTransport``. Defaults to none.
    ///   - recordLimit: The maximum number of ``StubHost/requests`` to keep, the latest ones. Defaults to no limit.
    /// - Throws: ``TestingError`` if the system has no socket or thread left, if the path is not valid in a URL, or if
    ///   OpenSSL is missing for the certificate.
    public init(
        certificate: ServerCertificate? = nil, basePath: String = "", recordLimit: Int = .max
    ) throws(TestingError) {
        let path = basePath.split(separator: "/").map { "/" + $0 }.joined()
        let tls = try certificate.map { certificate throws(TestingError) in try ServerTLS(certificate) }
        core = ServerCore(tls: tls, basePath: path, recordLimit: recordLimit)
        listener = try Listener(core)
        port = listener.port
        let origin = "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"
        guard let url = URL(string: origin + path), !path.contains(where: { "?#".contains($0) })
        else {
            listener.stop()
            throw TestingError("The base path \(basePath) is not valid in a URL")
        }
        baseURL = url
    }

    deinit { stop() }

    /// Closes the port and every connection, including those with a response in progress. Later calls have no effect.
    ///
    /// The recorded requests are kept. The stubs and their closures are released.
    public func stop() {
        if core.stop() { listener.stop() }
    }
}

extension LoopbackServer {
    /// The issuer's certificate in PEM, for clients from other libraries; `nil` without TLS.
    public var rootCertificate: String? { core.tls?.root }

    /// The roots for a client of this server: with TLS, only ``rootCertificate``; without TLS, the system's roots.
    ///
    /// libcurl before 7.77 cannot read roots from memory: write ``rootCertificate`` to a file and use `.file(url)`.
    public var roots: EngineConfiguration.Roots { rootCertificate.map { .pem($0) } ?? .system }

    /// The stubs and the requests so far.
    public var stubs: StubRegistry { core.stubs }

    /// The number of connections that the server has accepted.
    public var connectionCount: Int { core.accepted }

    /// The number of open connections.
    public var openConnectionCount: Int { core.open }
}

/// The thread that accepts connections.
struct Listener: Sendable {
    let port: Int
    /// One end of a socket pair. Shutting it down tells the accepting thread to stop. When the thread closes the other
    /// end, the port is closed.
    private let handle: Socket

    /// Starts to listen. Each connection is served on a thread of its own.
    init(_ core: ServerCore) throws(TestingError) {
        let (listener, port) = try Socket.listening()
        let pair: (here: Socket, there: Socket)
        do throws(TestingError) { pair = try Socket.pair() } catch {
            listener.release()
            throw error
        }
        let isRunning = SystemThread.start(stackSize: Self.stackSize) {
            Self.accept(from: listener, until: pair.there, core: core)
        }
        guard isRunning else {
            for socket in [listener, pair.here, pair.there] { socket.release() }
            throw TestingError(call: "pthread_create")
        }
        self.port = port
        handle = pair.here
    }

    /// Stops listening. When it returns, connecting fails. Call it once.
    func stop() {
        handle.shutDownWriting()
        _ = handle.waitForInput()
        handle.release()
    }

    private static let stackSize = 256 * 1024

    private static func accept(from listener: Socket, until stop: Socket, core: ServerCore) {
        // The order matters: the end of `stop` says that the port is closed.
        defer { stop.release() }
        defer { listener.release() }
        while !listener.waitForInput(or: stop).isOtherReadable {
            switch listener.acceptNext() {
            case .accepted(let socket): serve(socket, core)
            case .noConnection: continue
            case .exhausted: _ = stop.waitForInput(timeout: .milliseconds(10))
            }
        }
    }

    private static func serve(_ socket: Socket, _ core: ServerCore) {
        guard let number = core.addConnection(socket) else { return socket.release() }
        let isRunning = SystemThread.start(stackSize: stackSize) {
            ServerConnection.serve(socket, number: number, core: core)
        }
        guard !isRunning else { return }
        core.removeConnection(number)
        socket.release()
    }
}
