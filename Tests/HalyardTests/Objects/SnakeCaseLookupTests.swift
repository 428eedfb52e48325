import Foundation
import TestSupport
import Testing

@testable import Halyard

/// Which member ``ObjectMapper/KeyStyle/snakeCase`` reads for a property: the property's own name first, then the name
/// in snake case, then a name that converts to the property's.
struct SnakeCaseLookupTests {
    /// Reads one property, whose name the test sets, as an array of all values that it was asked for.
    private struct Probe: Decodable {
        @TaskLocal static var properties: [String] = []
        let values: [Int?]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: PathKey.self)
            values = try Self.properties.map {
                try container.decodeIfPresent(Int.self, forKey: PathKey(stringValue: $0))
            }
        }
    }

    @Test func `a property is found by the same rules in every object`() throws {
        var chance = Seeded(17)
        let letters = Array("aabbcABC12_é")
        func name() -> String {
            let length = Int.random(in: 1...6, using: &chance)
            return String((0..<length).map { _ in letters.randomElement(using: &chance) ?? "a" })
        }
        var found = 0
        for _ in 0..<4000 {
            let properties = (0..<3).map { _ in name() }
            var names: [String] = []
            for property in properties {
                // Names that resemble the property's, and others.
                let variants = [
                    property, SnakeCase.name(of: property), property.lowercased(), "_" + property,
                    property.lowercased().map { "\($0)_" }.joined(), name().lowercased(), name(),
                ]
                names += variants.shuffled(using: &chance).prefix(Int.random(in: 0...2, using: &chance))
            }
            names = names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.shuffled(using: &chance)
            let body = "{" + names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",") + "}"
            let values = try Probe.$properties.withValue(properties) {
                try ObjectMapper(keys: .snakeCase).decode(Probe.self, from: Data(body.utf8)).values
            }
            let expected = properties.map { property in
                names.firstIndex(of: property) ?? names.firstIndex(of: SnakeCase.name(of: property))
                    ?? names.firstIndex { SnakeCase.property(of: $0) == property }
            }
            #expect(values == expected, "\(properties) in \(body)")
            found += expected.count { $0 != nil }
        }
        #expect(found > 2000)
    }
}
