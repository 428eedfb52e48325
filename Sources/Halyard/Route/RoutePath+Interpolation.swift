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
        public mutating func appendInterpolation(_ value: some ParameterConvertible) {
            builder.append(value.parameterValue)
        }

        /// Unwrap it first: no path is meant to hold `nil`.
        @available(*, unavailable, message: "unwrap the optional first: a path cannot hold nil")
        public mutating func appendInterpolation<T: ParameterConvertible>(_ value: T?) {}

        /// Join the elements first: a list is no segment.
        @available(*, unavailable, message: "a list is no path segment; interpolate its elements")
        public mutating func appendInterpolation<T: ParameterConvertible>(_ values: [T]) {}

        /// Make the type ``ParameterConvertible`` first.
        @available(
            *, unavailable,
            message: "only a ParameterConvertible (String, Int, UUID, a raw enum, ...) can stand in a path"
        )
        @_disfavoredOverload
        public mutating func appendInterpolation<T>(_ value: T) {}
    }
}

extension RoutePath.Builder {
    fileprivate mutating func append(_ value: ParameterValue) {
        switch value.storage {
        case .text(let text): append(value: text)
        case .flag(let flag): append(value: flag ? "true" : "false")
        case .integer(let number): append(value: String(number))
        case .number(let number): append(value: number)
        case .unwritable(let reason): refuse(reason)
        case .absent, .nothing, .list, .members: refuse("a value is null, a list or an object")
        }
    }
}
