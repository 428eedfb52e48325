import Foundation
import Halyard
import OpenAPIGenerator
import TestSupport
import Testing

/// Documents that are damaged at random places, always the same ones.
@Suite(.timeLimit(.minutes(5)))
struct MutationTests {
    private static let replacements: [JSON] = [
        .null, true, -1, 1e300, "", "object", "array", "{}", "é\u{2028}\"\\#(x)", [], [:], [[]],
        ["$ref": "#/components/schemas/book"], ["$ref": "#/components/schemas/borrower"], ["$ref": "#/paths"],
        ["$ref": "#"], ["$ref": "#/components/schemas/book/properties/sequel"], ["allOf": [["$ref": "#/info"]]],
        ["oneOf": [["$ref": "#/components/schemas/borrower"], ["type": "null"]]], ["enum": [1, "a", .null, [:]]],
        ["type": ["string", "null", "integer"]], ["additionalProperties": ["$ref": "#/components/schemas/problem"]],
        ["type": "array", "items": ["$ref": "#/components/schemas/loan"]],
    ]

    /// The value with another one at a random place.
    private func damaged(_ json: JSON, _ random: inout Seeded) -> JSON {
        if Int.random(in: 0..<5, using: &random) > 0 {
            if let (name, value) = json.object?.map({ ($0.key, $0.value) }).randomElement(using: &random) {
                var json = json
                json[name] = damaged(value, &random)
                return json
            }
            if let elements = json.array, let index = elements.indices.randomElement(using: &random) {
                var elements = elements
                elements[index] = damaged(elements[index], &random)
                return .array(elements)
            }
        }
        return Self.replacements.randomElement(using: &random) ?? .null
    }

    /// The files for a document, or the error in their place.
    private func outcome(_ data: Data) throws -> String {
        do throws(DocumentError) {
            let document = try OpenAPIDocument(data)
            let plan = try Plan(document)
            let style = Plan.Style(isPublic: true, command: "test")
            return (plan.files(style) + [try plan.exampleFile(document, style)]).map(\.text).joined()
        } catch {
            #expect(!error.reason.isEmpty)
            return error.description
        }
    }

    @Test("a damaged document gives files or an error, and always the same", arguments: 0..<20)
    func damaged(seed: Int) throws {
        var random = Seeded(UInt64(seed))
        let whole = try JSON(
            parsing: Data(contentsOf: LibraryTests.folder.appending(path: "library.json")))
        for _ in 0..<10 {
            var json = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) { json = damaged(json, &random) }
            let data = json.encoded()
            let outcome = try outcome(data)
            #expect(try self.outcome(data) == outcome)
        }
    }
}
