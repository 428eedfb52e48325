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
            for (index, segment) in path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { builder.append(literal: "/") }
                if !segment.isEmpty { builder.append(value: String(segment)) }
            }
        }
    }

    /// A path that is written as in a literal: percent-encoded where it must be, with `?` before its query.
    public init(verbatim path: String) { self.init { $0.append(literal: path) } }

    init(_ build: (inout Builder) -> Void) {
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
    struct Builder {
        fileprivate var path: [UInt8] = []
        fileprivate var query: [UInt8]?
        fileprivate var flaw: String?
        private var segmentStart = 0

        mutating func append(literal text: String) {
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "/") where query == nil:
                    finishSegment()
                    path.append(byte)
                    segmentStart = path.count
                case UInt8(ascii: "?") where query == nil:
                    finishSegment()
                    query = []
                case UInt8(ascii: "%") where rest.count >= 2 && rest.prefix(2).allSatisfy(ASCIISet.hexDigits.contains):
                    append(byte)
                case _ where ASCIISet.pathCharacters.contains(byte) || (query != nil && byte == UInt8(ascii: "?")):
                    append(byte)
                default:
                    if query == nil { path.append(percentEncoded: byte) } else { query?.append(percentEncoded: byte) }
                }
            }
        }

        mutating func append(value: String) {
            if query != nil { query?.append(percentEncoding: value) } else {
                if value.isEmpty || value == "." || value == ".." { flaw = flaw ?? "the value \(value.quoted) is no segment" }
                path.append(percentEncoding: value)
            }
        }

        /// `.` and `..` are removed by servers on the way (RFC 3986 section 5.2.4): the path would be another.
        mutating func finishSegment() {
            guard query == nil else { return }
            let segment = path[segmentStart...]
            if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
                flaw = flaw ?? "it has a segment \(String(decoding: segment, as: UTF8.self).quoted)"
            }
        }

        private mutating func append(_ byte: UInt8) {
            if query == nil { path.append(byte) } else { query?.append(byte) }
        }
    }
}

extension ASCIISet {
    fileprivate static let hexDigits = digits.union(ASCIISet("abcdefABCDEF"))
    /// `pchar` and `/`, RFC 3986 section 3.3.
    fileprivate static let pathCharacters = unreserved.union(ASCIISet("!$&'()*+,;=:@/"))
}
