/// The property that an error is about, which a `DecodingError` or `EncodingError` carries as its underlying error.
struct FieldFailure: Error, CustomStringConvertible {
    /// `Person.desc`.
    let label: String
    /// What a transformer wanted.
    let expected: String?
    /// What the user's own code threw.
    let cause: (any Error)?

    var description: String { cause.map { "\(label): \($0)" } ?? label }
}

/// What a transformer wanted, until the field adds its name.
struct TransformerFailure: Error {
    let expected: String
    let cause: (any Error)?
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

    /// An error that is none of decoding, with its place.
    static func corrupted(at path: [any CodingKey], by error: any Error) -> DecodingError {
        var words = "\(error)"
        // JSONDecoder on Linux throws an error of its own inside, and forgets the place before it tells of it.
        if words.hasPrefix("numberIsNotRepresentable") { words = "the number is too large, or has a fraction" }
        return .dataCorrupted(.init(codingPath: path, debugDescription: words, underlyingError: error))
    }

    /// The same error with another that lies under it.
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

    /// The same error, which knows the property; the innermost one counts.
    func naming(_ label: String) -> DecodingError {
        let underlying = context?.underlyingError
        if underlying is FieldFailure { return self }
        let failure = underlying as? TransformerFailure
        return with(
            FieldFailure(
                label: label, expected: failure?.expected, cause: failure == nil ? underlying : failure?.cause))
    }
}

extension EncodingError {
    /// The same error, which knows the property; the innermost one counts.
    func naming(_ label: String) -> EncodingError {
        guard case .invalidValue(let value, let context) = self, !(context.underlyingError is FieldFailure) else {
            return self
        }
        let underlying = FieldFailure(label: label, expected: nil, cause: context.underlyingError)
        return .invalidValue(
            value,
            .init(
                codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: underlying)
        )
    }
}
