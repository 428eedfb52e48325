#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ObjectMapper.DateStyle {
    /// What a date is in JSON, for an error to tell.
    package var words: String {
        switch self {
        case .millisecondsSince1970: "milliseconds since 1970"
        case .secondsSince1970: "seconds since 1970"
        case .iso8601: "text by ISO 8601"
        }
    }

    func configure(_ decoder: JSONDecoder, _ encoder: JSONEncoder) {
        // Foundation's own strategies say in an error that a number or a text was missing, and never that it is a date.
        switch self {
        case .millisecondsSince1970:
            decoder.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: try $0.dateValue(Double.self) / 1000) }
            // JSONEncoder's own strategy writes 1004.9999999999999 for 1.005 s.
            encoder.dateEncodingStrategy = .custom { try $0.encodeMilliseconds(to: $1) }
        case .secondsSince1970:
            decoder.dateDecodingStrategy = .custom { Date(timeIntervalSince1970: try $0.dateValue(Double.self)) }
            encoder.dateEncodingStrategy = .secondsSince1970
        case .iso8601:
            // JSONDecoder's own strategy reads fractions of a second on some systems only.
            decoder.dateDecodingStrategy = .custom { try Date(iso8601From: $0) }
            encoder.dateEncodingStrategy = .iso8601
        }
    }
}

extension Decoder {
    /// What stands for a date. Where it is of another type, it is a date that the error says is missing.
    fileprivate func dateValue<T: Decodable>(_ type: T.Type) throws -> T {
        do { return try singleValueContainer().decode(type) } catch DecodingError.typeMismatch(_, let context) {
            throw DecodingError.typeMismatch(Date.self, context)
        } catch DecodingError.valueNotFound(_, let context) {
            throw DecodingError.valueNotFound(Date.self, context)
        }
    }
}

extension Date {
    fileprivate func encodeMilliseconds(to encoder: any Encoder) throws {
        guard let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) else {
            let words = "the date is too far away for milliseconds since 1970"
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: words))
        }
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    fileprivate init(iso8601From decoder: any Decoder) throws {
        let text = try decoder.dateValue(String.self)
        if let date = Date(iso8601: text) {
            self = date
            return
        }
        let words = "\"\(text.prefix(40))\" is no ISO 8601 date"
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: words))
    }

    /// The date that a text by ISO 8601 means, with or without fractions of a second.
    package init?(iso8601 text: String) {
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? Date(text, strategy: style) {
                self = date
                return
            }
        }
        return nil
    }
}
