public import HalyardFoundation

extension JSON {
    /// Why a text is not JSON, and where.
    ///
    /// It is safe to log: it shows one character of the input at most.
    public struct ParseError: Error, Equatable, Sendable {
        /// The line of the fault, from 1; lines end with a line feed.
        public let line: Int

        /// The character in the line, from 1: Unicode scalars, not bytes.
        public let column: Int

        /// What was expected and what was found, in words.
        public let reason: String

        /// There was nothing to read, not even a blank: often an empty body of a response.
        public static let emptyInput = ParseError(line: 1, column: 1, reason: "the input is empty")

        /// The task was cancelled. Only reading a response ends so.
        static let cancelled = ParseError(line: 0, column: 0, reason: "the task was cancelled")
    }
}

extension JSON.ParseError: CustomStringConvertible {
    /// The place and the reason, such as `Not JSON at line 3, column 14: expected "," or "}" after a member, found "x"`.
    public var description: String {
        self == .emptyInput ? "Not JSON: \(reason)" : "Not JSON at line \(line), column \(column): \(reason)"
    }
}

extension JSON.ParseError: LocalizedError {
    /// The place and the reason; the same in every language.
    public var errorDescription: String? { description }
}
