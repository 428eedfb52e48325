package import HalyardFoundation

/// Identifies the download that a partial file belongs to. It is stored beside the file, and contains no secrets.
package struct ResumeRecord: Sendable, Hashable {
    /// The hash of the request.
    package var requestHash: String
    /// The hash of the URL that the body came from, at the end of all redirects. The next request may be redirected
    /// elsewhere.
    package var source: String
    package var validator: StrongValidator
    /// The length of the whole body; `nil` when the server did not say.
    package var total: Int64?

    package init(requestHash: String, source: String, validator: StrongValidator, total: Int64? = nil) {
        self.requestHash = requestHash
        self.source = source
        self.validator = validator
        self.total = total
    }

    /// Returns what to request when `length` bytes are there; `nil` when there is nothing to continue.
    ///
    /// For a body that is complete the last byte is requested again, because that is the only way to learn whether the
    /// server still has this version.
    package func rest(after length: Int64) -> Rest? {
        guard length <= total ?? .max else { return nil }
        let first = min(length, (total ?? .max) - 1)
        return first > 0 ? Rest(known: self, first: first) : nil
    }

    /// A request for the rest of a known body, from byte `first` on.
    package struct Rest: Sendable, Hashable {
        package let known: ResumeRecord
        package let first: Int64
    }
}

// The file beside the partial file.
extension ResumeRecord {
    private struct Stored: Codable {
        var format = name
        var version = 1
        var requestHash, source, validator: String
        var total: Int64?

        static let name = "halyard-download"
    }

    /// Reads a record; `nil` for any other data.
    package init?(record: Data) {
        guard let record = try? JSONDecoder().decode(Stored.self, from: record),
            record.format == Stored.name, record.version == 1,
            let validator = StrongValidator(stored: record.validator), record.total ?? 0 >= 0
        else { return nil }
        self.init(requestHash: record.requestHash, source: record.source, validator: validator, total: record.total)
    }

    /// The record to be written.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let record = Stored(requestHash: requestHash, source: source, validator: validator.text, total: total)
        // Texts and numbers can always be encoded.
        return (try? encoder.encode(record)) ?? Data()
    }
}
