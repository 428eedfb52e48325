public import HalyardFoundation

extension JSON {
    /// The reason why a text is not JSON, and the position.
    ///
    /// It is safe to log: it contains at most one character of the input.
    public struct ParseError: Error, Equatable, Sendable {
        /// The line of the error, from 1. Lines end with a line feed.
        public let line: Int

        /// The position in the line, from 1, in Unicode scalars.
        public let column: Int

        /// The expected and the actual text, in words.
        public let reason: String

        /// The error for empty input, such as the empty body of a response.
        public static let emptyInput = ParseError(line: 1, column: 1, reason: "the input is empty")

        /// The task was cancelled. Only reading a response ends with this error.
        static let cancelled = ParseError(line: 0, column: 0, reason: "the task was cancelled")
    }
}

extension JSON.ParseError: CustomStringConvertible {
    /// The position and the reason, such as `Not JSON at line 3, column 14: expected "," or "}" after a member, found
    /// "x"`.
    public var description: String {
        self == .emptyInput ? "Not JSON: \(reason)" : "Not JSON at line \(line), column \(column): \(reason)"
    }
}

extension JSON.ParseError: LocalizedError {
    /// The same as ``description``, in every language.
    public var errorDescription: String? { description }
}
