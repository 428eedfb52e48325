package import HalyardFoundation

/// An absolute URL as text. Foundation's `URL` is made on demand: parsing one takes half as long as building the text,
/// and the pipeline and libcurl do not need it.
package struct AbsoluteURL: Sendable {
    package let text: String
    /// The URL that the text was taken from; `nil` when it is made on demand.
    private let source: URL?

    package init(_ url: URL) {
        text = url.absoluteString
        source = url
    }

    /// Takes a text that ``Origin/init(ofURL:)`` has read. Returns `nil` when Foundation makes no URL of it.
    ///
    /// - Parameter isPlain: Whether no character of the text needs percent-encoding, so that Foundation's `URL` has the same
    ///   text. Foundation may spell any other text differently, and is asked.
    package init?(_ text: String, isPlain: Bool) {
        source = isPlain ? nil : URL(string: text)
        guard isPlain || source != nil else { return nil }
        self.text = source?.absoluteString ?? text
    }

    package var url: URL { source ?? URL(string: text) ?? Self.none }

    /// For a plain text that Foundation refuses; no such text is known.
    private static let none = URL(filePath: "/")
}
