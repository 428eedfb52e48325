#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension PartialDownload {
    private struct Record: Codable {
        var format = name
        var version = 1
        var asked, source, validator: String
        var total: Int64?

        static let name = "halyard-download"
    }

    /// What was kept; nil for anything else.
    package init?(record: Data) {
        guard let record = try? JSONDecoder().decode(Record.self, from: record),
            record.format == Record.name, record.version == 1,
            let validator = StrongValidator(kept: record.validator), record.total ?? 0 >= 0
        else { return nil }
        self.init(asked: record.asked, source: record.source, validator: validator, total: record.total)
    }

    /// As it is kept.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let record = Record(asked: asked, source: source, validator: validator.text, total: total)
        return (try? encoder.encode(record)) ?? Data()
    }

    /// The hash of what a request asks for: two that want another language are not for the same.
    package static func asked(_ request: HTTPRequest) -> String {
        let choices = ["Accept", "Accept-Language"].map { request.headers[$0] ?? "" }
        return SHA256Digest.name(of: ([request.address.text.withoutFragment] + choices).joined(separator: "\n"))
    }

    /// The hash of a place. Its query does not count: an address that was signed has another one each time.
    package static func source(_ request: HTTPRequest) -> String {
        SHA256Digest.name(of: String(request.address.text.withoutFragment.prefix { $0 != "?" }))
    }
}

extension String {
    fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }
}
