import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardSigning
import HalyardTesting
import TestSupport
import Testing

/// Everything that is printed for random signed requests, of which many fail: more than two thousand texts.
@Suite(.timeLimit(.minutes(10)))
struct SigningSecretTests {
    private struct SignedAPI: HTTPProvider {
        let baseURL: URL
        let client: HTTPClient
        let authentication: Authentication
    }

    /// What is printed in one round.
    private struct Printed: Sendable {
        let texts = Log<String>()

        func note(_ value: Any) {
            var text = "\(value) \(String(reflecting: value))\n"
            dump(value, to: &text)
            texts.add(text)
            guard let error = value as? any Error else { return }
            texts.add("\(error.localizedDescription) \((error as? HTTPError)?.recoverySuggestion ?? "")")
        }

        func note(_ event: LogEvent) {
            for detail in [EventLog.Detail.lines, .headers, .bodies] { texts.add(event.text(detail)) }
            note(event as Any)
            if let request = event.request { texts.add(request.curlCommand()) }
            if let error = event.error { note(error as Any) }
        }
    }

    private static func secret(_ random: inout Seeded) throws -> String {
        let plain = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let odd = Array("+/=%&;:,<>()\"' ")
        func text(_ all: [Character], _ count: Int) throws -> String {
            String(try (0..<count).map { _ in try random.pick(all) })
        }
        return try text(plain, 8) + text(plain + odd, Int.random(in: 0..<24, using: &random)) + text(plain, 8)
    }

    @Test("no log, error, description or curl command shows a key or a session token", arguments: 0..<4)
    func nothingShown(seed: Int) async throws {
        var (random, count) = (Seeded(UInt64(seed)), 0)
        // It says all that a request contains, as servers for developers do.
        let server = try LoopbackServer()
        server.on(.post, "/items", times: .any) { request in
            let gossip = ([request.target] + request.headers.map { "\($0.name): \($0.value)" } + [request.text])
                .joined(separator: " | ")
            return switch Int(request.text.prefix(1)) ?? 0 {
            case 0: .text(gossip)
            case 1: .text(gossip, status: 403, headers: ["X-Echo": request.headers["X-Amz-Security-Token"] ?? "-"])
            case 2: .json(.object(.init([("message", .string(gossip))])), status: 400)
            case 3: .text(gossip).resetting(after: 40)
            case 4: .status(302, headers: ["Location": "/items?x=1"])
            default: .text("<Error><Code>ExpiredToken</Code>\(gossip)</Error>", status: 400)
            }
        }
        for round in 0..<40 {
            let printed = Printed()
            let (key, token) = (try Self.secret(&random), try Self.secret(&random))
            let keys = AWSCredentials(
                accessKeyID: "AKID", secretAccessKey: key, sessionToken: Bool.random(using: &random) ? token : nil)
            let hmac = MessageSignatureKey.hmacSHA256(Data(key.utf8), id: "k")
            let isAmazon = Bool.random(using: &random)
            let authentication: Authentication =
                isAmazon ? .aws(keys, region: "eu", service: "s3") : .messageSignature(hmac)
            let api = SignedAPI(
                baseURL: server.baseURL, client: HTTPClient(log: .custom { printed.note($0) }),
                authentication: authentication)
            let text = "\(Int.random(in: 0..<6, using: &random)) text"
            let route = Route(path: "/items", method: .post, params: ["q": "1"], body: .text(text))
            do { printed.note(try await api.request(route).response() as Any) } catch { printed.note(error as Any) }
            for value in [keys, hmac, authentication, api, HMACSHA256(key: Data(key.utf8))] as [Any] {
                printed.note(value)
            }
            let texts = printed.texts.entries.joined(separator: "\n")
            #expect(texts.contains("AKID") && texts.contains("/items"))
            for secret in [key, token] {
                var encoded: [UInt8] = []
                encoded.append(percentEncoding: secret)
                let spellings = [
                    secret, String(decoding: encoded, as: UTF8.self), Data(secret.utf8).base64EncodedString(),
                    String(secret.prefix(8)), String(secret.suffix(8)),
                ]
                for spelling in spellings where texts.contains(spelling) {
                    let line = printed.texts.entries.first { $0.contains(spelling) } ?? ""
                    Issue.record("round \(round), \(isAmazon), \(text): \(spelling) in \(line)")
                    return
                }
            }
            count += printed.texts.entries.count
        }
        #expect(count > 500)
    }
}
