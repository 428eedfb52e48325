/// A request method (RFC 9110 section 9), such as `GET`.
///
/// Method names are case-sensitive. The standard methods are static members:
///
/// ```swift
/// let request = try HTTPRequest(.patch, url)
/// let purge = try HTTPMethod("PURGE")
/// ```
public struct HTTPMethod: Hashable, Sendable {
    /// The name as it is sent.
    public let rawValue: String

    /// Creates a method with any name.
    ///
    /// - Parameter name: An RFC 9110 token: one or more letters, digits and certain punctuation characters. A space or
    ///   a line break could forge a request line.
    /// - Throws: ``HTTPError`` of kind `invalidMethod` if `name` is empty or not a token.
    public init(_ name: String) throws(HTTPError) {
        guard name.consists(of: .token) else {
            throw HTTPError(.invalidMethod(name), reason: name.isEmpty ? "it is empty" : "it is not a token")
        }
        rawValue = name
    }

    private init(known name: String) { rawValue = name }

    /// Reads a resource.
    public static let get = HTTPMethod(known: "GET")
    /// Reads the headers of a resource.
    public static let head = HTTPMethod(known: "HEAD")
    /// Sends a body for the resource to process.
    public static let post = HTTPMethod(known: "POST")
    /// Replaces the resource.
    public static let put = HTTPMethod(known: "PUT")
    /// Changes a part of the resource (RFC 5789).
    public static let patch = HTTPMethod(known: "PATCH")
    /// Removes the resource.
    public static let delete = HTTPMethod(known: "DELETE")
    /// Asks which methods the resource supports.
    public static let options = HTTPMethod(known: "OPTIONS")
    /// Asks the server to return the request as it received it.
    public static let trace = HTTPMethod(known: "TRACE")
    /// Asks a proxy for a tunnel.
    public static let connect = HTTPMethod(known: "CONNECT")
}

extension HTTPMethod {
    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 section 9.2.2), so that it
    /// can be sent again. `false` for nonstandard methods.
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        default: false
        }
    }

    /// Whether the method anticipates a body, so that a request announces its length even without one (RFC 9110 section
    /// 8.6).
    package var anticipatesBody: Bool { self == .post || self == .put || self == .patch }
}

extension HTTPMethod: CustomStringConvertible {
    /// The method's name.
    public var description: String { rawValue }
}
