/// What a transformer expected, and the property that an error is about. It is the underlying error of a `DecodingError`
/// or `EncodingError`.
struct FieldFailure: Error, CustomStringConvertible {
    /// The type and the property, such as `Person.desc`. `nil` until the field adds it.
    var label: String?
    /// The JSON that a transformer expected.
    var expected: String?
    /// The error that the user's code threw.
    let cause: (any Error)?

    var description: String {
        let place = label ?? expected ?? ""
        return cause.map { "\(place): \($0)" } ?? place
    }
}

extension DecodingError {
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// Makes a decoding error from another error.
    static func corrupted(at path: [any CodingKey], by error: any Error) -> DecodingError {
        var message = "\(error)"
        // JSONDecoder on Linux throws an internal error without a path.
        if message.hasPrefix("numberIsNotRepresentable") { message = "the number is too large, or has a fraction" }
        return .dataCorrupted(.init(codingPath: path, debugDescription: message, underlyingError: error))
    }

    /// Returns this error with another underlying error.
    func with(_ underlying: any Error) -> DecodingError {
        func changed(_ context: Context) -> Context {
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: underlying)
        }
        switch self {
        case .typeMismatch(let type, let context): return .typeMismatch(type, changed(context))
        case .valueNotFound(let type, let context): return .valueNotFound(type, changed(context))
        case .keyNotFound(let key, let context): return .keyNotFound(key, changed(context))
        case .dataCorrupted(let context): return .dataCorrupted(changed(context))
        @unknown default: return self
        }
    }

    /// Returns this error with the property, unless it has one: the innermost property counts.
    func naming(_ label: String) -> DecodingError {
        let underlying = context?.underlyingError
        var failure = underlying as? FieldFailure ?? FieldFailure(cause: underlying)
        guard failure.label == nil else { return self }
        failure.label = label
        return with(failure)
    }
}

extension EncodingError {
    /// Returns this error with the property, unless it has one: the innermost property counts.
    func naming(_ label: String) -> EncodingError {
        guard case .invalidValue(let value, let context) = self, !(context.underlyingError is FieldFailure) else {
            return self
        }
        let underlying = FieldFailure(label: label, cause: context.underlyingError)
        return .invalidValue(
            value,
            .init(
                codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: underlying)
        )
    }
}
