import Foundation
import HalyardHTTP
import HalyardSystem
import TestSupport
import Testing

/// The URLs of the web platform tests, with the results of browsers.
struct URLCorpusTests {
    private struct Case: Decodable, Sendable {
        let input: String
        var base: String?
        var `protocol`: String?
        var hostname: String?
        var port: String?
        var failure: Bool?
    }

    /// The test cases, without the comments between them. Without corpora, prints a line and returns none.
    private func cases() throws -> [Case] {
        guard let folder = ProcessInfo.processInfo.environment["HALYARD_CORPORA"] else {
            print("HALYARD_CORPORA is not set: url/urltestdata.json was not read")
            return []
        }
        struct Entry: Decodable {
            let value: Case?
            init(from decoder: any Decoder) throws { value = try? Case(from: decoder) }
        }
        let data = try Data(contentsOf: URL(filePath: folder).appending(path: "url/urltestdata.json"))
        let cases = try JSONDecoder().decode([Entry].self, from: data).compactMap(\.value)
        try #require(cases.count > 700)
        return cases
    }

    @Test func `a URL has the same host as in browsers or is rejected`() throws {
        var taken = 0
        for test in try cases() where test.failure != true {
            guard let origin = try? Origin(ofURL: test.input) else { continue }
            taken += 1
            let port = try #require(test.port)
            #expect(origin.scheme + ":" == test.protocol, "\(test.input.debugDescription)")
            #expect(normal(origin.host) == normal(test.hostname ?? ""), "\(test.input.debugDescription)")
            #expect(origin.port == Int(port) ?? (origin.scheme == "https" ? 443 : 80), "\(test.input.debugDescription)")
        }
        #expect(taken > 60 || ProcessInfo.processInfo.environment["HALYARD_CORPORA"] == nil)
    }

    /// The exception is invalid Punycode: it is accepted as a host name, which has no address.
    @Test func `a URL that browsers reject is rejected`() throws {
        for test in try cases() where test.failure == true {
            guard (try? Origin(ofURL: test.input)) != nil else { continue }
            #expect(test.input.contains("xn--"), "\(test.input.debugDescription)")
        }
    }

    /// An IPv6 address in its shortest form; any other host as it is.
    private func normal(_ host: String) -> String {
        var address = in6_addr()
        guard host.hasPrefix("["), inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else {
            return host
        }
        return withUnsafeBytes(of: &address) { $0.map { String($0, radix: 16) }.joined(separator: ":") }
    }
}
