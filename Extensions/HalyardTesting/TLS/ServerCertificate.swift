/// The certificate of a ``LoopbackServer`` with TLS, made when the server starts.
///
/// ```swift
/// let server = try LoopbackServer(certificate: .valid).on(.get, "/user/{id}", .json(user))
/// let client = HTTPClient(engine: EngineConfiguration(tls: .init(roots: server.roots)))
/// let api = MusicAPI(baseURL: server.baseURL, client: client)  // https://127.0.0.1:PORT
/// ```
///
/// Each server has its own issuer. A client that does not trust ``LoopbackServer/roots`` gets `HTTPError(.tls)`.
public struct ServerCertificate: Sendable, Hashable {
    /// The names of the certificate, such as `DNS:localhost`.
    let names: [String]
    /// The time for which the certificate is valid, in seconds from the start of the server.
    let validity: Range<Int>

    private static let day = 24 * 3600

    /// A certificate for `localhost`, `127.0.0.1` and `::1`, from yesterday until tomorrow.
    public static let valid = ServerCertificate(names: Self.loopback, validity: -day..<day)

    /// A certificate like ``valid`` that expired an hour ago. A client that checks it throws `HTTPError(.tls(.expired))`.
    public static let expired = ServerCertificate(names: Self.loopback, validity: -day..<(-3600))

    /// Returns a certificate for another host, from yesterday until tomorrow. A client that checks it throws
    /// `HTTPError(.tls(.wrongHost))`.
    ///
    /// - Parameter host: A host name, such as `other.example.com`.
    public static func valid(for host: String) -> ServerCertificate {
        ServerCertificate(names: ["DNS:\(host)"], validity: -day..<day)
    }

    private static let loopback = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
}
