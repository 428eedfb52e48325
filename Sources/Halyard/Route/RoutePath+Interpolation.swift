extension RoutePath: ExpressibleByStringInterpolation {
    /// A path that is written out.
    public init(stringLiteral value: String) { self.init(verbatim: value) }

    /// A path with values in it.
    public init(stringInterpolation: Interpolation) { self.init { $0 = stringInterpolation.builder } }

    /// Takes the pieces of a path literal: its text as it stands, its values as segments.
    public struct Interpolation: StringInterpolationProtocol {
        var builder = RoutePath.Builder()

        /// Starts empty.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Takes text between values.
        public mutating func appendLiteral(_ literal: String) { builder.append(literal: literal) }

        /// Takes a value: one segment, percent-encoded.
        public mutating func appendInterpolation(_ value: some PathConvertible) {
            builder.append(value.parameterValue)
        }

        /// Not every type makes a segment: unwrap an optional, join a list, make a type of your own
        /// ``PathConvertible``.
        @available(
            *, unavailable,
            message: "only a PathConvertible can stand in a path (String, Int, UUID, ...); unwrap an optional first"
        )
        public mutating func appendInterpolation<T>(_ value: T) {}
    }
}

extension RoutePath.Builder {
    package mutating func append(_ value: ParameterValue) {
        if case .unwritable(let reason, _) = value.storage { return refuse(reason) }
        guard let text = value.text, value.storage != .nothing else {
            return refuse("a value is null, a file, a list or an object")
        }
        append(value: text)
    }
}
