import Foundation
import HalyardCodable
import Testing

@Suite("Objects in snake case")
struct SnakeCaseTests {
    private let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)

    private func read<T: Decodable & SendableMetatype>(_ json: String, _ type: T.Type = T.self) throws -> T {
        let response = HTTPResponse(status: 200, data: Data(json.utf8), url: URL(string: "https://h/")!)
        return try response.object(type, mapper: mapper)
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try mapper.encode(value), as: UTF8.self)
    }

    private func reason(_ json: String, _ type: (some Decodable & SendableMetatype).Type) -> String? {
        #expect(throws: HTTPError.self) { _ = try read(json, type) }?.reason
    }

    private struct Photo: Codable, Equatable {
        enum Kind: String, Codable { case fullSize }
        enum Owner: Codable, Equatable { case singleUser(userID: Int), nobody }
        struct Size: Codable, Equatable { var pixelWidth: Int, scaleDPI: Double? }
        var imageURL: URL?
        var takenAt: Date
        var photoID: UUID?
        var allSizes: [Size]
        var sizesByName: [String: Size]
        var largestSize: Size?
        var rawData: Data?
        var ownedBy: Owner
        var photoKind: Kind
        var isHDR: Bool
        var maxISO: Int?
        var shotDates: [Date?]
        var addressLine1: String?
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let photo = Photo(
            imageURL: URL(string: "https://h/a"), takenAt: Date(timeIntervalSince1970: 1), photoID: UUID(),
            allSizes: [.init(pixelWidth: 1, scaleDPI: 2.5), .init(pixelWidth: 2, scaleDPI: nil)],
            sizesByName: [
                "fullSize": .init(pixelWidth: 3, scaleDPI: nil), "half_size": .init(pixelWidth: 4, scaleDPI: nil),
            ],
            largestSize: .init(pixelWidth: 5, scaleDPI: nil), rawData: Data("x".utf8), ownedBy: .singleUser(userID: 7),
            photoKind: .fullSize, isHDR: true, maxISO: 100, shotDates: [Date(timeIntervalSince1970: 2), nil],
            addressLine1: "a")
        let written = try text(photo)
        #expect(written.contains(#""image_url":"#) && written.contains(#""scale_dpi":"#))
        #expect(try read(written) == photo)
        #expect(try read("[\(written)]") == [photo])
        #expect(try read(#"{"someKey":\#(written)}"#) == ["someKey": photo])
    }

    @Test func otherSpellingsThatFoundationReadsAreReadToo() throws {
        struct Address: Decodable, Equatable { var addressLine1: String?, imageURL: String?, plain: Int? }
        #expect(try read(#"{"address_line_1":"a","image_url":"b"}"#) == Address(addressLine1: "a", imageURL: "b"))
        #expect(try read(#"{"addressLine1":"a","imageURL":"b"}"#) == Address(addressLine1: "a", imageURL: "b"))
        #expect(try read(#"{"image_url":null,"plain":1}"#) == Address(plain: 1))
        #expect(try read("{}") == Address())
    }

    @Test func keysThatAreNoPropertiesStayAsTheyAre() throws {
        struct Spelt: Decodable, Equatable {
            enum CodingKeys: String, CodingKey { case image = "image_url" }
            var image: String
        }
        struct Holder: Codable, Equatable { var extraFields: JSON, plainCounts: [String: Int] }
        #expect(try read(#"{"image_url":"a"}"#) == Spelt(image: "a"))
        let json = #"{"extra_fields":{"product_id":1,"theName":2},"plain_counts":{"a_b":1,"aB":2}}"#
        let holder = Holder(extraFields: ["product_id": 1, "theName": 2], plainCounts: ["a_b": 1, "aB": 2])
        #expect(try read(json, Holder.self).plainCounts == holder.plainCounts)
        #expect(try read(json, Holder.self).extraFields["product_id"].int == 1)
        #expect(try read(#"{"5":{"a_b":1}}"#) == [5: ["a_b": 1]])
    }

    @Test(arguments: ["", "data.product"])
    func aJSONIsWhatStandsThere(keyPath: String) throws {
        func read<T: Decodable & SendableMetatype>(_ json: String, _ type: T.Type) throws -> T {
            let body = keyPath.isEmpty ? json : #"{"data":{"product":\#(json)}}"#
            let response = HTTPResponse(status: 200, data: Data(body.utf8), url: URL(string: "https://h/")!)
            return try response.object(type, at: keyPath, mapper: mapper)
        }
        let json = #"{"product_id":1.50,"a_b":{"z_z":1,"y_y":2}}"#
        #expect(try read(json, JSON.self).description == json)
        #expect(try read("[\(json)]", [JSON].self).map(\.description) == [json])
        #expect(try read(json, [String: JSON].self)["a_b"]?.description == #"{"z_z":1,"y_y":2}"#)
        #expect(try read(json, JSON?.self)?.description == json)
        #expect(try read("null", JSON?.self) == nil)
        #expect(try read("null", JSON.self) == .null)
        let error = #expect(throws: HTTPError.decoding) { try read(json, [JSON].self) }
        #expect(error?.reason?.hasSuffix("is an object, where Array<JSON> needs an array") == true)
    }

    /// A hand-written decoder: nested containers, and the object of a superclass.
    private class Base: Decodable { var baseURL: String }
    private final class Derived: Base {
        enum CodingKeys: String, CodingKey { case parentObject, ownItems, innerObject }
        enum Inner: String, CodingKey { case deepURL }
        let found: [String]

        required init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            var list = try values.nestedUnkeyedContainer(forKey: .ownItems)
            var found: [String] = []
            let first = try list.nestedContainer(keyedBy: Inner.self)
            found.append(try first.decode(String.self, forKey: .deepURL))
            var second = try list.nestedUnkeyedContainer()
            found += [try second.decode([String: String].self)["deep_url"] ?? ""]
            #expect(try list.decodeNil())
            found.append(try Base(from: list.superDecoder()).baseURL)
            #expect(list.isAtEnd && list.count == 4 && list.currentIndex == 4)
            let inner = try values.nestedContainer(keyedBy: Inner.self, forKey: .innerObject)
            #expect(inner.contains(.deepURL) && inner.allKeys.isEmpty)
            found.append(try inner.decode(String.self, forKey: .deepURL))
            self.found = found
            try super.init(from: values.superDecoder(forKey: .parentObject))
        }
    }

    @Test func containersMadeByHandAreReadAlike() throws {
        let json = #"""
            {"own_items":[{"deep_url":"a"},[{"deep_url":"b"}],null,{"base_url":"c"}],"inner_object":{"deep_url":"d"},
            "parent_object":{"base_url":"e"}}
            """#
        let derived = try read(json, Derived.self)
        #expect(derived.found == ["a", "b", "c", "d"] && derived.baseURL == "e")
    }

    private struct Album: Decodable {
        struct Cover: Decodable { var imageURL: String, takenAt: Date? }
        var allCovers: [Cover]
    }

    @Test(arguments: [
        ("{}", #""all_covers" is missing, but Album requires it"#),
        (#"{"all_covers":[{}]}"#, #""all_covers[0].image_url" is missing, but Album requires it"#),
        (#"{"all_covers":[{"image_url":1}]}"#, #""all_covers[0].image_url" is a number, where Album needs String"#),
        (#"{"all_covers":[{"image_url":null}]}"#, #""all_covers[0].image_url" is null, where Album needs String"#),
        (#"{"all_covers":{}}"#, #""all_covers" is an object, where Album needs an array"#),
        (#"{"all_covers":["a"]}"#, #""all_covers[0]" is a string, where Album needs an object"#),
        (
            #"{"all_covers":[{"image_url":"","taken_at":"x"}]}"#,
            #""all_covers[0].taken_at" is not valid for Album: "x" is not an ISO 8601 date"#
        ),
    ])
    func whatDoesNotFitIsNamedAsInTheJSON(json: String, expected: String) {
        #expect(reason(json, Album.self) == expected)
    }
}
