import HalyardHTTP

/// The path of a route, relative to the provider's base URL.
///
/// The text of a literal is used as it is, and `?` in it starts the query. Each interpolated value is one path segment
/// and is percent-encoded:
///
/// ```swift
/// Route(path: "/user/\(id)")          // "a/b?c" gives /user/a%2Fb%3Fc
/// Route(path: "/search?kind=\(kind)")
/// ```
///
/// A value that is empty, `.` or `..` fails the request, because it would change the path.
///
/// For a path that is stored in a variable, use ``init(escaping:)`` or ``init(verbatim:)``.
public struct RoutePath: Sendable, Hashable {
    /// The path, percent-encoded.
    package private(set) var path: String
    package private(set) var query: String?
    /// The reason why no request can be built.
    package private(set) var problem: String?

    /// Creates a path from data. Every segment between slashes is percent-encoded, including `?` and `%`.
    public init(escaping path: String) {
        self.init { builder in
            let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                if index > 0 { builder.append(literal: "/") }
                if !segment.isEmpty { builder.append(value: String(Substring(segment))) }
            }
        }
    }

    /// Creates a path from text that is written like a literal. `?` starts the query, and characters that are not
    /// allowed in a URL are percent-encoded.
    public init(verbatim path: String) { self.init { $0.append(literal: path) } }

    /// Does not compile: a `String` in a variable does not say whether it is data, a path or an absolute URL.
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
        problem = builder.problem
    }
}

extension RoutePath {
    /// Builds a path, and checks its segments.
    package struct Builder {
        private var bytes: [UInt8] = []
        private var segmentStart = 0
        private var queryStart: Int?
        fileprivate private(set) var problem: String?

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
                case UInt8(ascii: "%") where rest.hexValue(ofFirst: 2) != nil:
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
            if queryStart == nil, !isSegment { refuse("the value \(value.quoted) is not a path segment") }
            bytes.append(percentEncoding: value)
        }

        mutating func refuse(_ reason: String) { problem = problem ?? reason }

        /// Ends a segment. `.` and `..` are errors, also as `%2e`: servers remove them (RFC 3986 section 5.2.4), which
        /// changes the path.
        fileprivate mutating func finishSegment() {
            guard queryStart == nil else { return }
            let segment = String(decoding: bytes[segmentStart...], as: UTF8.self)
            let plain = segment.utf8.count > 6 ? segment : segment.lowercased().replacing("%2e", with: ".")
            if plain == "." || plain == ".." { refuse("it contains the segment \(segment.quoted)") }
        }
    }
}

extension ASCIISet {
    /// The characters of `pchar`, and `/` (RFC 3986 section 3.3).
    fileprivate static let path = unreserved.union(ASCIISet("!$&'()*+,;=:@/"))
    /// The characters of `query` (RFC 3986 section 3.4).
    fileprivate static let query = path.union(ASCIISet("?"))
}

extension RoutePath: ExpressibleByStringInterpolation {
    /// Creates a path from a literal.
    public init(stringLiteral value: String) { self.init(verbatim: value) }

    /// Creates a path from a literal with interpolated values.
    public init(stringInterpolation: Interpolation) { self.init { $0 = stringInterpolation.builder } }

    /// Collects the pieces of a path literal: text as it is, and values as percent-encoded segments.
    public struct Interpolation: StringInterpolationProtocol {
        var builder = RoutePath.Builder()

        /// Creates an empty interpolation. The arguments are ignored.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text of the literal.
        public mutating func appendLiteral(_ literal: String) { builder.append(literal: literal) }

        /// Appends a value as one percent-encoded segment.
        public mutating func appendInterpolation(_ value: some PathConvertible) {
            builder.append(value.parameterValue)
        }

        /// Does not compile: the type is not ``PathConvertible``. Unwrap an optional, join a list, or declare the
        /// conformance.
        @available(
            *, unavailable,
            message:
                "only a PathConvertible can be interpolated in a path (String, Int, UUID, ...); unwrap an optional first"
        )
        public mutating func appendInterpolation<T>(_ value: T) {}
    }
}

extension RoutePath.Builder {
    package mutating func append(_ value: ParameterValue) {
        if case .unwritable(let reason, _) = value.storage { return refuse(reason) }
        guard let text = value.text, value.storage != .null else {
            return refuse("a value is null, a file, a list or an object")
        }
        append(value: text)
    }
}
