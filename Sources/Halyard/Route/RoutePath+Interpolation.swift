extension RoutePath: ExpressibleByStringInterpolation {
    /// Makes a path from a literal.
    public init(stringLiteral value: String) { self.init(verbatim: value) }

    /// Makes a path from a literal with values.
    public init(stringInterpolation: Interpolation) { self.init { $0 = stringInterpolation.builder } }

    /// Collects the pieces of a path literal: text as it is, values as escaped segments.
    public struct Interpolation: StringInterpolationProtocol {
        var builder = RoutePath.Builder()

        /// Makes an empty interpolation.
        ///
        /// - Parameters:
        ///   - literalCapacity: The length of the literal text. Not used.
        ///   - interpolationCount: The number of values. Not used.
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
