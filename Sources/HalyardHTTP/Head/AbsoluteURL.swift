#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// An absolute URL as the wire has it: text. Foundation's `URL` is made of it when somebody asks for that: to read it takes
/// half as long as to put it together, and the pipeline and libcurl have no use for it.
package struct AbsoluteURL: Sendable {
    package let text: String
    /// The URL that it was taken from; `nil` where it is made when it is asked for.
    private let source: URL?

    package init(_ url: URL) {
        text = url.absoluteString
        source = url
    }

    /// Takes a text that ``Origin/init(ofURL:)`` has read; `nil` where Foundation makes no URL of it.
    ///
    /// - Parameter isPlain: all in it that was not escaped here needs no escape, and is none: Foundation's `URL` is of the
    ///   same text then. Of any other it is asked, and may write it otherwise.
    package init?(_ text: String, isPlain: Bool) {
        source = isPlain ? nil : URL(string: text)
        guard isPlain || source != nil else { return nil }
        self.text = source?.absoluteString ?? text
    }

    package var url: URL { source ?? URL(string: text) ?? Self.none }

    /// For a plain text that Foundation refuses; no such text is known.
    private static let none = URL(filePath: "/")
}
