import Foundation
import Halyard
import Testing

/// The files of nst/JSONTestSuite: `y_` is valid JSON, `n_` is not, and for `i_` the parser may decide.
struct JSONCorpusTests {
    private static let folder = "json/test_parsing"

    @Test func `valid JSON survives a round trip`() throws {
        for file in try Corpora.files(in: Self.folder, prefix: "y_", atLeast: 95) {
            let json = try JSON(parsing: Data(contentsOf: file))
            #expect(try JSON(parsing: json.encoded()) == json, "\(file.lastPathComponent)")
            #expect(try JSON(parsing: json.prettyPrinted) == json, "\(file.lastPathComponent)")
            #expect(try JSON(parsing: json.encoded()).encoded() == json.encoded(), "\(file.lastPathComponent)")
        }
    }

    @Test func `invalid JSON is rejected`() throws {
        for file in try Corpora.files(in: Self.folder, prefix: "n_", atLeast: 188) {
            let data = try Data(contentsOf: file)
            let error = #expect(throws: JSON.ParseError.self, "\(file.lastPathComponent)") { try JSON(parsing: data) }
            #expect(error?.description.utf8.count ?? 0 < 200)
        }
    }

    @Test func `JSON whose validity is undefined is read or rejected without a crash`() throws {
        for file in try Corpora.files(in: Self.folder, prefix: "i_", atLeast: 35) {
            guard let json = try? JSON(parsing: Data(contentsOf: file)) else { continue }
            #expect(try JSON(parsing: json.encoded()) == json, "\(file.lastPathComponent)")
        }
    }

    @Test func `the mapper decodes the same texts to the same values`() throws {
        for file in try Corpora.files(in: Self.folder, atLeast: 318) {
            let data = try Data(contentsOf: file)
            let decoded = try? ObjectMapper.standard.decode(JSON.self, from: data)
            #expect(decoded?.encoded() == (try? JSON(parsing: data))?.encoded(), "\(file.lastPathComponent)")
        }
    }
}
