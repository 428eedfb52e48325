import ContractEngines
import Foundation
import HalyardHTTP
import Testing

extension Contract {
    /// Public collections of raw responses. A server sends each of them; the result is a correct response, or an error.
    @Suite struct CorpusTests {
        private static let folder = ProcessInfo.processInfo.environment["HALYARD_CORPORA"]
            .map { URL(filePath: $0).appending(path: "http1") }

        /// Returns the files of a folder. Without corpora, prints a line and returns none.
        private func files(_ name: String, atLeast count: Int) throws -> [URL] {
            guard let folder = Self.folder else {
                print("HALYARD_CORPORA is not set: http1/\(name) was not read")
                return []
            }
            let files = try FileManager.default
                .contentsOfDirectory(at: folder.appending(path: name), includingPropertiesForKeys: nil)
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
            try #require(files.count >= count)
            return files
        }

        @Test(arguments: Engine.http1) func `h1-parsing of web-platform-tests passes`(engine: Engine) async throws {
            let cases = try files("h1-parsing", atLeast: 102)
                .map { RawCase($0.lastPathComponent, responses: [try Data(contentsOf: $0)]) }
            try await check(
                cases, on: engine, corelibs: ["parsing_NULL_leading.asis", "parsing_CR_leading.asis"])
        }

        @Test(arguments: Engine.http1) func `the response cases of llhttp pass`(engine: Engine) async throws {
            let cases = try files("llhttp", atLeast: 6).filter { $0.pathExtension == "md" }
                .flatMap { try Self.examples(inMarkdown: $0) }
            if Self.folder != nil { #expect(cases.count >= 70) }
            try await check(cases, on: engine, corelibs: ["response-invalid.md 11"])
        }

        private func check(
            _ cases: [RawCase], on engine: Engine, corelibs: Set<String>
        ) async throws {
            for (one, outcome) in zip(cases, try await Children.run(cases, on: engine)) {
                let words: Comment = "swift-corelibs-foundation: SIGILL, Transfer completed, but there's no response"
                withKnownIssue(words, isIntermittent: true) {
                    #expect(outcome.isInOrder, "\(one.name): \(outcome)")
                    #expect(outcome.status == nil || one.allows(outcome), "\(one.name): \(outcome)")
                } when: {
                    engine.isCorelibs && corelibs.contains(one.name)
                }
            }
        }

        /// Parses the responses of llhttp's test files: a line ends with CR LF, except if its last character is a
        /// backslash, and escapes are replaced.
        private static func examples(inMarkdown file: URL) throws -> [RawCase] {
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.components(separatedBy: "```http\n").dropFirst().enumerated().map { index, block in
                var raw = block.components(separatedBy: "```")[0].replacing("\\\n", with: "\u{1}")
                    .replacing("\n", with: "\r\n").replacing("\u{1}", with: "")
                for (escape, byte) in [("\\r", "\r"), ("\\n", "\n"), ("\\t", "\t"), ("\\f", "\u{c}")] {
                    raw = raw.replacing(escape, with: byte)
                }
                if raw.utf8.suffix(2).elementsEqual("\r\n".utf8) {
                    raw = String(decoding: raw.utf8.dropLast(2), as: UTF8.self)
                }
                return RawCase("\(file.lastPathComponent) \(index)", responses: [Data(raw.utf8)])
            }
        }
    }
}

extension RawCase {
    /// Whether a response can come from these bytes: they contain its status, and after a blank line its body, plain or
    /// in chunks.
    fileprivate func allows(_ outcome: Outcome) -> Bool {
        guard let status = outcome.status, let body = outcome.body, let raw = responses.last else { return false }
        guard raw.firstRange(of: Data(" \(status)".utf8)) != nil else { return false }
        if body.isEmpty || raw.firstRange(of: Data("hunked".utf8)) != nil { return true }
        let blanks = ["\r\n\r\n", "\n\n", "\r\n\n", "\n\r\n"].compactMap {
            raw.firstRange(of: Data($0.utf8))?.upperBound
        }
        return blanks.contains { raw[$0...].starts(with: body) }
    }
}
