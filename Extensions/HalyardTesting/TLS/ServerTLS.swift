import CHalyardTLS

/// The certificate of a ``LoopbackServer`` with TLS, created when the server starts.
///
/// ```swift
/// let server = try LoopbackServer(certificate: .valid).on(.get, "/user/{id}", .json(user))
/// let client = HTTPClient(engine: EngineConfiguration(tls: .init(roots: server.roots)))
/// let api = MusicAPI(baseURL: server.baseURL, client: client)  // https://127.0.0.1:PORT
/// ```
///
/// Each server has its own issuer. A client that does not trust ``LoopbackServer/roots`` gets `HTTPError(.tls)`.
public struct ServerCertificate: Sendable {
    /// The names of the certificate, such as `DNS:localhost`.
    let names: [String]
    /// The time for which the certificate is valid, in seconds from the start of the server.
    let validity: Range<Int>

    private static let day = 24 * 3600

    /// A certificate for `localhost`, `127.0.0.1` and `::1`, from yesterday until tomorrow.
    public static let valid = ServerCertificate(names: Self.loopback, validity: -day..<day)

    /// A certificate like ``valid`` that expired an hour ago. A client that checks it gets `HTTPError(.tls(.expired))`.
    public static let expired = ServerCertificate(names: Self.loopback, validity: -day..<(-3600))

    /// Returns a certificate for another host, from yesterday until tomorrow. A client that checks it throws
    /// `HTTPError(.tls(.wrongHost))`.
    public static func valid(for host: String) -> ServerCertificate {
        ServerCertificate(names: ["DNS:\(host)"], validity: -day..<day)
    }

    private static let loopback = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
}

/// The key and the certificate of a server with TLS, and its issuer's certificate.
package final class ServerTLS: Sendable {
    /// The issuer's certificate in PEM.
    package let root: String
    /// An `SSL_CTX` of OpenSSL, which may be used by many threads at the same time.
    private let server: UncheckedPointer

    /// Makes the key and the certificates. `offersHTTP2` says whether HTTP/2 is selected for clients that offer it.
    /// Defaults to `false`. Throws ``TestingError`` without OpenSSL, or if a name is not valid.
    package init(_ certificate: ServerCertificate, offersHTTP2: Bool = false) throws(TestingError) {
        if let failure = OpenSSL.failure { throw failure }
        let names = certificate.names.joined(separator: ",")
        var pem = [CChar](repeating: 0, count: Int(HALYARD_TLS_PEM_LIMIT))
        let server = halyard_tls_server_create(
            names, certificate.validity.lowerBound, certificate.validity.upperBound, &pem)
        guard let server else { throw TestingError("OpenSSL makes no certificate for \(names)") }
        self.server = UncheckedPointer(pointer: server)
        if offersHTTP2 {
            halyard_tls_server_select(
                server, UnsafeRawPointer(Self.http2.utf8Start).assumingMemoryBound(to: CChar.self))
        }
        root = String(decoding: pem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static let http2: StaticString = "h2"

    deinit { halyard_tls_server_destroy(server.pointer) }

    /// Makes the handshake on the calling thread. Returns `nil` if the client does not trust the certificate, does not use
    /// TLS, or has gone.
    package func accept(_ descriptor: CInt) -> TLSSession? {
        halyard_tls_accept(server.pointer, descriptor).map(TLSSession.init)
    }

    /// `@unchecked Sendable` is sound: OpenSSL locks an `SSL_CTX` itself.
    private struct UncheckedPointer: @unchecked Sendable { let pointer: OpaquePointer }
}

/// TLS on one connection. It belongs to the thread of the connection, which calls ``release()`` once.
package struct TLSSession {
    private let session: OpaquePointer

    init(_ session: OpaquePointer) { self.session = session }

    /// Waits for bytes and reads them. Returns 0 at the end of the connection, also after an error.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        Int(halyard_tls_read(session, buffer.baseAddress, CInt(clamping: buffer.count)))
    }

    /// Writes all bytes. Returns `false` if the connection has ended.
    package func transmit(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
            let count = Int(halyard_tls_write(session, start, CInt(clamping: rest.count)))
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Tells the client that no bytes follow.
    package func end() { halyard_tls_end(session) }

    package func release() { halyard_tls_session_destroy(session) }
}

/// The libraries of OpenSSL, loaded at the first use.
private enum OpenSSL {
    /// Why they could not be loaded. `nil` if they were.
    static let failure: TestingError? = {
        var reasons: [String] = []
        for (crypto, ssl) in names {
            guard let reason = halyard_tls_load(crypto, ssl) else { return nil }
            reasons.append(String(cString: reason))
        }
        return TestingError(
            "The loopback server cannot start: OpenSSL 1.1.1 or 3 is needed for TLS: \(reasons.joined(separator: "; "))"
        )
    }()

    /// The names of both libraries. On macOS they are those of Homebrew.
    private static let names: [(crypto: String, ssl: String)] = {
        #if canImport(Darwin)
            return ["/opt/homebrew/opt/openssl@3/lib/", "/usr/local/opt/openssl@3/lib/"].map {
                ($0 + "libcrypto.3.dylib", $0 + "libssl.3.dylib")
            }
        #else
            return [("libcrypto.so.3", "libssl.so.3"), ("libcrypto.so.1.1", "libssl.so.1.1")]
        #endif
    }()
}
