/// What went wrong, without the request and the response that it belongs to.
///
/// Everything below ``HTTPError`` throws faults: headers, methods, origins, bodies and files. `HTTPError+Fault.swift`
/// declares the members that callers use and turns each fault into an ``HTTPError``, so that a user never sees this
/// type.
///
/// It is a class, so that a function that throws one needs a single word for it in its frame.
package final class Fault: Error {
    package let kind: HTTPErrorKind
    /// What exactly went wrong, in words.
    package let reason: String?
    /// How to fix it, if there is a more specific suggestion than that of the kind.
    package let suggestion: String?
    package let cause: (any Error)?
    /// Whether the same call may succeed a moment later.
    package let isTemporary: Bool

    package init(
        _ kind: HTTPErrorKind, reason: String? = nil, suggestion: String? = nil, cause: (any Error)? = nil,
        isTemporary: Bool = false
    ) {
        self.kind = kind
        self.reason = reason
        self.suggestion = suggestion
        self.cause = cause
        self.isTemporary = isTemporary
    }
}
