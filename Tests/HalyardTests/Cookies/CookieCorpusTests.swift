import Foundation
import Testing

@testable import Halyard

/// The public tests of cookies: those of RFC 6265, and those of the public suffix list.
struct CookieCorpusTests {
    private struct Case: Decodable {
        struct Pair: Decodable { let name, value: String }
        enum CodingKeys: String, CodingKey { case test, received, sent, target = "sent-to" }
        let test: String
        let received: [String]
        let sent: [Pair]
        let target: String?
    }

    private struct DateCase: Decodable {
        let test: String
        let expected: String?
    }

    /// Where the current draft differs from RFC 6265's tests: the name of the test, and the cookies that are sent.
    private static let changed = [
        // A field without `=`, or with nothing before it, is a cookie without a name (section 5.6.3 of the draft, steps
        // 3 to 5).
        "0004": "foo", "0021": "a=b; x; c=d", "0023": "foo", "0024": "foo", "0025": "foo", "0026": "foo", "0027": "bar",
        "0028": "foo", "CHROMIUM0009": "BLAHHH", "CHROMIUM0010": #""BLA\"HHH""#, "CHROMIUM0012": "ABC",
        "MOZILLA0012": #"test="fubar! = foo; five"#, "MOZILLA0014": "six", "MOZILLA0015": "seven",
        "MOZILLA0016": "eight",
        "MOZILLA0017": "eight; test=six", "NAME0017": "a=bar", "NAME0023": "foo", "NAME0025": "==a=bar",
        "NAME0028": "a",
        "NAME0031": #""foo"#, "NAME0032": #""foo\"bar"#, "NAME0033": "aaa",
        // Control characters make the whole field invalid; they do not end it (section 5.6, step 1).
        "DISABLED_CHROMIUM0022": "", "DISABLED_CHROMIUM0023": "",
        // Paths are compared as they are written: `%6F` is not `o` (section 5.1.4).
        "DISABLED_PATH0029": "",
        // The last Domain attribute counts. If it is empty, it means the host itself (section 5.7, steps 7 and 10).
        "OPTIONAL_DOMAIN0042": "foo=bar",
    ]

    @Test func `the parser tests of http-state pass, except where the standard has changed`() async throws {
        for file in try Corpora.files(in: "cookies/tests/data", prefix: "parser.json", atLeast: 1) {
            let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
            #expect(cases.count >= 200 && Self.changed.keys.allSatisfy { name in cases.contains { $0.test == name } })
            for test in cases {
                let base = try #require(
                    URL(string: "http://home.example.org:8888/cookie-parser?\(test.test.lowercased())"))
                let jar = CookieJar([], nil, .rules, CookieStore.Limits()) {
                    Date(timeIntervalSince1970: 1_310_000_000)
                }
                for field in test.received {
                    var headers = HTTPHeaders()
                    // A field with a control character never reaches the jar, because the engine rejects the response.
                    do { try headers.append(field, for: "Set-Cookie") } catch { continue }
                    await jar.store(cookiesOf: HTTPResponse(status: 200, headers: headers, url: base))
                }
                let target = test.target ?? "/cookie-parser-result?\(test.test.lowercased())"
                let url = try #require(URL(string: Location.resolve(target, against: base.absoluteString)))
                let sent = jar.cookies(for: url).map(\.pair).joined(separator: "; ")
                let expected =
                    Self.changed[test.test] ?? test.sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
                #expect(sent == expected, "\(test.test): \(test.received)")
            }
        }
    }

    @Test func `the dates of http-state are parsed`() throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for file in try Corpora.files(in: "cookies/tests/data/dates", prefix: "", atLeast: 2) {
            let text = try String(contentsOf: file, encoding: .utf8)
            let json = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
            for test in try JSONDecoder().decode([DateCase].self, from: Data(json.utf8)) {
                let ours = CookieDate.date(test.test).map(format.string(from:))
                #expect(ours == test.expected, "\(test.test)")
            }
        }
    }

    @Test func `the tests of the public suffix list pass where libpsl is found`() throws {
        for file in try Corpora.files(in: "psl", prefix: "tests.txt", atLeast: 1) {
            guard PublicSuffixes.platform.contains("k12.ak.us") else {
                print("libpsl is not on this machine: its list was not read")
                return
            }
            var count = 0
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("//")
            {
                let words = line.split(separator: " ").map(String.init)
                // Hosts reach this function as lower-case ASCII without a leading dot.
                guard words.count == 2, words[0] != "null", line.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
                let name = words[0].lowercased().drop { $0 == "." }
                count += 1
                if words[1] == "null" {
                    // In the corpus `.example.com` means an invalid name.
                    if !words[0].hasPrefix(".") { #expect(PublicSuffixes.platform.contains(String(name)), "\(line)") }
                } else {
                    #expect(!PublicSuffixes.platform.contains(words[1]), "\(line)")
                    let parent = words[1].split(separator: ".").dropFirst().joined(separator: ".")
                    #expect(PublicSuffixes.platform.contains(parent), "\(line)")
                }
            }
            #expect(count >= 60)
        }
    }
}
