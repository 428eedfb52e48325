import HalyardHTTP

/// The path of a route, relative to the provider's base URL.
///
/// What you write in the literal stands as it is, and `?` in it starts a query. What you interpolate is one segment,
/// percent-encoded, whatever it holds:
///
/// ```swift
/// Route(path: "/user/\(id)")          // "a/b?c" gives /user/a%2Fb%3Fc
/// Route(path: "/search?kind=\(kind)")
/// ```
///
/// A value that is empty, `.` or `..` is an error of the request: it would be another path.
///
/// For a path in a variable say what it is: ``init(escaping:)`` or ``init(verbatim:)``.
public struct RoutePath: Sendable, Hashable {
    /// Percent-encoded as it goes on the wire.
    package private(set) var path: String
    package private(set) var query: String?
    /// Why no request can be made of it.
    package private(set) var flaw: String?

    /// A path that is data: every segment between slashes is percent-encoded, `?` and `%` as well.
    public init(escaping path: String) {
        self.init { builder in
            let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                if index > 0 { builder.append(literal: "/") }
                if !segment.isEmpty { builder.append(value: String(Substring(segment))) }
            }
        }
    }

    /// A path that is written as in a literal: percent-encoded where it must be, with `?` before its query.
    public init(verbatim path: String) { self.init { $0.append(literal: path) } }

    /// A string in a variable does not say what it is: data or a path, or a whole URL.
    @available(
        *, unavailable,
        message:
            "say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal, or Route(url:)"
    )
    public init(_ path: String) { self.init(verbatim: path) }

    package init(_ build: (inout Builder) -> Void) {
        var builder = Builder()
        build(&builder)
        builder.finishSegment()
        path = String(decoding: builder.path, as: UTF8.self)
        query = builder.query.map { String(decoding: $0, as: UTF8.self) }
        flaw = builder.flaw
    }
}

extension RoutePath {
    /// Puts a path together, and watches its segments.
    package struct Builder {
        private var bytes: [UInt8] = []
        private var segmentStart = 0
        private var queryStart: Int?
        fileprivate private(set) var flaw: String?

        fileprivate var path: ArraySlice<UInt8> { bytes[..<(queryStart ?? bytes.count)] }
        fileprivate var query: ArraySlice<UInt8>? { queryStart.map { bytes[$0...] } }

        package mutating func append(literal text: String) {
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "/") where queryStart == nil:
                    finishSegment()
                    bytes.append(byte)
                    segmentStart = bytes.count
                case UInt8(ascii: "?") where queryStart == nil:
                    finishSegment()
                    queryStart = bytes.count
                case UInt8(ascii: "%") where rest.count >= 2 && rest.prefix(2).allSatisfy(ASCIISet.hexDigits.contains):
                    bytes.append(byte)
                case _ where (queryStart == nil ? ASCIISet.path : ASCIISet.query).contains(byte):
                    bytes.append(byte)
                default:
                    bytes.append(percentEncoded: byte)
                }
            }
        }

        mutating func append(value: String) {
            let isSegment = !value.isEmpty && value != "." && value != ".."
            if queryStart == nil, !isSegment { refuse("the value \(value.quoted) is no segment") }
            bytes.append(percentEncoding: value)
        }

        mutating func refuse(_ reason: String) { flaw = flaw ?? reason }

        /// `.` and `..` are removed by servers on the way (RFC 3986 section 5.2.4), spelt `%2e` as well: the path would
        /// be another.
        fileprivate mutating func finishSegment() {
            guard queryStart == nil else { return }
            let segment = String(decoding: bytes[segmentStart...], as: UTF8.self)
            let plain = segment.utf8.count > 6 ? segment : segment.lowercased().replacing("%2e", with: ".")
            if plain == "." || plain == ".." { refuse("it has a segment \(segment.quoted)") }
        }
    }
}

extension ASCIISet {
    /// `pchar` and `/`, RFC 3986 section 3.3.
    fileprivate static let path = unreserved.union(ASCIISet("!$&'()*+,;=:@/"))
    /// `query`, section 3.4.
    fileprivate static let query = path.union(ASCIISet("?"))
}
