#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How objects are read from JSON and written as JSON: by a provider for all its routes, by a route for itself.
///
/// ```swift
/// struct MusicAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
/// }
/// ```
///
/// It is Halyard's seam for HalyardCodable; without that module nothing uses it.
public struct ObjectMapper: Sendable {
    /// Reads objects. Do not change it while requests are on their way.
    package let decoder: JSONDecoder
    /// Writes objects.
    package let encoder: JSONEncoder

    /// A mapper of a decoder and an encoder of one's own, which must not be changed any more.
    public init(decoder: JSONDecoder, encoder: JSONEncoder) {
        self.decoder = decoder
        self.encoder = encoder
    }

    /// A mapper.
    ///
    /// - Parameters:
    ///   - dates: milliseconds since 1970 unless given, as in parameters.
    ///   - keys: as they are written in the type unless given.
    public init(dates: DateStyle = .millisecondsSince1970, keys: KeyStyle = .asWritten) {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        // Members in order of their names: the same value gives the same bytes in every run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        dates.configure(decoder, encoder)
        if keys == .snakeCase {
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            encoder.keyEncodingStrategy = .convertToSnakeCase
        }
        self.init(decoder: decoder, encoder: encoder)
    }

    /// A value as JSON.
    package func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

    /// Dates as milliseconds since 1970, keys as they are written: the default.
    public static let standard = ObjectMapper()

    /// How a type's property names stand in JSON.
    public enum KeyStyle: Sendable, Hashable {
        /// `userName` is `"userName"`.
        case asWritten
        /// `userName` is `"user_name"`.
        case snakeCase
    }

    /// How dates stand in JSON.
    public enum DateStyle: Sendable, Hashable {
        /// Whole milliseconds, rounded to the nearest.
        case millisecondsSince1970
        /// Seconds, with a fraction where there is one.
        case secondsSince1970
        /// Text by ISO 8601, `2030-01-31T14:02:03Z`, with or without fractions of a second when it is read.
        case iso8601
    }
}

extension ObjectMapper.DateStyle {
    fileprivate func configure(_ decoder: JSONDecoder, _ encoder: JSONEncoder) {
        switch self {
        case .millisecondsSince1970:
            decoder.dateDecodingStrategy = .millisecondsSince1970
            // JSONEncoder's own strategy writes 1004.9999999999999 for 1.005 s.
            encoder.dateEncodingStrategy = .custom { try $0.encodeMilliseconds(to: $1) }
        case .secondsSince1970:
            decoder.dateDecodingStrategy = .secondsSince1970
            encoder.dateEncodingStrategy = .secondsSince1970
        case .iso8601:
            // JSONDecoder's own strategy reads fractions of a second on some systems only, and its error names no place.
            decoder.dateDecodingStrategy = .custom { try Date(iso8601From: $0) }
            encoder.dateEncodingStrategy = .iso8601
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
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? Date(text, strategy: style) {
                self = date
                return
            }
        }
        throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "\"\(text.prefix(40))\" is no ISO 8601 date")
    }
}
