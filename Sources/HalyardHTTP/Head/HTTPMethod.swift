/// A request method (RFC 9110 section 9), such as `GET`.
///
/// Method names are case-sensitive; the nine that everybody uses are here as static members, in capitals:
///
/// ```swift
/// Route(path: "/me", method: .patch)
/// let purge = try HTTPMethod("PURGE")
/// ```
public struct HTTPMethod: Hashable, Sendable {
    /// The name as it goes on the wire.
    public let name: String

    /// Makes a method of any name.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidMethod` when `name` is empty or holds anything but the letters,
    ///   digits and marks of an RFC 9110 token: a space or a line break in it would forge a request line.
    init(checking name: String) throws(Fault) {
        guard name.consists(of: .token) else {
            throw Fault(.invalidMethod(name), reason: name.isEmpty ? "it is empty" : "it is not a token")
        }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// Reads a resource. The default of a route.
    public static let get = HTTPMethod(known: "GET")
    /// Like GET, but the answer has no body.
    public static let head = HTTPMethod(known: "HEAD")
    /// Hands a body to the resource to process.
    public static let post = HTTPMethod(known: "POST")
    /// Replaces the resource.
    public static let put = HTTPMethod(known: "PUT")
    /// Changes part of the resource (RFC 5789).
    public static let patch = HTTPMethod(known: "PATCH")
    /// Removes the resource.
    public static let delete = HTTPMethod(known: "DELETE")
    /// Asks what may be done with the resource.
    public static let options = HTTPMethod(known: "OPTIONS")
    /// Asks for the request itself back, as it arrived.
    public static let trace = HTTPMethod(known: "TRACE")
    /// Asks a proxy for a tunnel.
    public static let connect = HTTPMethod(known: "CONNECT")
}

extension HTTPMethod {
    /// Whether doing it twice is as good as doing it once (RFC 9110 section 9.2.2): such a request may be sent again.
    /// Of methods with names of one's own none is.
    public var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<HTTPMethod> = [.get, .head, .put, .delete, .options, .trace]
}

extension HTTPMethod: CustomStringConvertible {
    /// The method's name.
    public var description: String { name }
}
