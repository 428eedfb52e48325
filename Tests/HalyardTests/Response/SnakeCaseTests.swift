import Foundation
import Testing

@testable import Halyard

@Suite("Snake case names match Foundation's")
struct SnakeCaseTests {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes one member, of a name that is only known when it runs.
    private struct Named: Codable {
        static let key = CodingUserInfoKey(rawValue: "name")
        var names: [String]

        init(_ name: String) { names = [name] }
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(1, forKey: Name(stringValue: names[0]))
        }
    }

    @Test(arguments: [
        "a", "A", "userName", "imageURL", "myURLPath", "URLString", "URL", "aB1C", "a1B", "address1Line", "sha256Sum",
        "addressLine1", "x2Y3Z", "ÄrgerÖl", "größeÄNDERN", "_private", "_privateName", "name_", "userNAME", "iOSApp",
        "already_snake", "Already_Snake", "aBC", "ABc", "id", "userID", "isA", "isAB", "isABc", "a_B", "日本語Name",
    ])
    func writing(name: String) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let written = String(decoding: try encoder.encode(Named(name)), as: UTF8.self)
        #expect(written == #"{"\#(SnakeCase.name(of: name))":1}"#)
    }

    @Test(arguments: [
        "a", "user_name", "image_url", "address_line_1", "_private_name", "name_", "__a_b__", "already", "userName",
        "user_Name", "USER_NAME", "a__b", "_", "__", "sha_256_sum", "größe_ändern", "image_URL",
    ])
    func reading(name: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let read = try decoder.decode(Named.self, from: Data(#"{"\#(name)":1}"#.utf8)).names
        #expect(read == [SnakeCase.property(of: name)])
    }
}
