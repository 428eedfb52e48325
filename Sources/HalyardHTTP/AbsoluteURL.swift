#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An absolute URL as the wire has it: text. Foundation's `URL` is made of it when somebody asks for that, as hardly
/// anybody does: to read a URL takes as long as to put it together.
package struct AbsoluteURL: Sendable {
    package let text: String
    /// The URL that it was taken from; `nil` where it is made when it is asked for.
    private let source: URL?

    package init(_ url: URL) {
        text = url.absoluteString
        source = url
    }

    /// Takes a text that ``Origin/init(ofURL:)`` has read and in which all is escaped that must be.
    ///
    /// - Parameter isPlain: no `[`, `]`, `%` or `#` stands in it before its path, or in a path that was not escaped here:
    ///   then Foundation's `URL` is of the same text. `nil` where it is not, and Foundation makes no URL of it.
    package init?(_ text: String, isPlain: Bool) {
        source = isPlain ? nil : URL(string: text)
        guard isPlain || source != nil else { return nil }
        self.text = source?.absoluteString ?? text
    }

    package var url: URL { source ?? URL(string: text) ?? Self.none }

    /// What no text is read as that is plain.
    private static let none = URL(filePath: "/")
}
