/// All optional types. A cast to it distinguishes optionals from other values and types.
package protocol AnyOptional {
    associatedtype Wrapped
    static func some(_ wrapped: Wrapped) -> Self
    static var none: Self { get }
    /// The value as the optional that it is.
    var asOptional: Wrapped? { get }
}

extension Optional: AnyOptional {
    package var asOptional: Wrapped? { self }
}

extension AnyOptional {
    /// The type of the wrapped value.
    package static var wrapped: Any.Type { Wrapped.self }

    package var isNil: Bool { asOptional == nil }
}
