package import HalyardFoundation

extension PartialDownload {
    private struct Record: Codable {
        var format = name
        var version = 1
        var asked, source, validator: String
        var total: Int64?

        static let name = "halyard-download"
    }

    /// Reads a record; `nil` for any other data.
    package init?(record: Data) {
        guard let record = try? JSONDecoder().decode(Record.self, from: record),
            record.format == Record.name, record.version == 1,
            let validator = StrongValidator(kept: record.validator), record.total ?? 0 >= 0
        else { return nil }
        self.init(asked: record.asked, source: record.source, validator: validator, total: record.total)
    }

    /// The record to be written.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let record = Record(asked: asked, source: source, validator: validator.text, total: total)
        return (try? encoder.encode(record)) ?? Data()
    }
}
