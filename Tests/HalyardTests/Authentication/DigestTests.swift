import Foundation
import HalyardHTTP
import Testing

@testable import Halyard

/// Challenges and responses without a network, and the hashes that they use.
struct DigestTests {
    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "MD5 matches RFC 1321's test suite and hashes a message longer than a block",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func md5(text: String, hash: String) { #expect(hex(MD5Digest.hash(Array(text.utf8))) == hash) }

    @Test(
        "SHA-256 matches the examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, hash: String) { #expect(hex(SHA256Digest.hash(Array(text.utf8))) == hash) }

    @Test("messages around the block size are padded correctly", arguments: [55, 56, 57, 63, 64, 65, 119, 120, 128])
    func borders(count: Int) {
        let message: [UInt8] = Array(repeating: 0x61, count: count)
        for (size, end) in [(64, 8), (128, 16)] {
            let padded = message.padded(toBlocksOf: size, end: Array(repeating: 1, count: end))
            #expect(padded.count.isMultiple(of: size) && padded.count - count <= size + end)
            #expect(
                padded[count..<padded.count - end].elementsEqual(
                    [0x80] + Array(repeating: 0, count: padded.count - count - end - 1)))
        }
    }

    private static let rfc = """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", \
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    /// Returns the challenges of a field that the client can answer.
    private func all(in field: String) -> [DigestChallenge] {
        DigestChallenge.all(in: field).compactMap { try? $0.get() }
    }

    @Test(
        "auth-int challenges are answered (RFC 7616 section 3.4.3)",
        arguments: [
            ("qop=\"auth-int\"", "4a01c3ca416bec516e621f5aa070a46b"),
            ("qop=\"auth-int, auth\"", "f37890d6bbb00ff8cc2ed9f2df440801"),
        ])
    func kinds(parameters: String, response: String) throws {
        let challenge = try #require(all(in: "Digest realm=\"r\", nonce=\"n0\", \(parameters)").first)
        let answer = challenge.answer(
            user: "Mufasa", password: "Circle of Life", method: "POST", uri: "/dir", body: Array("{\"a\":1}".utf8),
            clientNonce: "c0", count: 1)
        #expect(answer.contains("response=\"\(response)\""))
        #expect(answer.contains(challenge.quality == .auth ? "qop=auth," : "qop=auth-int,"))
    }

    private func request() throws -> HTTPRequest { try HTTPRequest(.get, #require(URL(string: "https://h/x"))) }

    private func refusal(_ challenge: String) throws -> HTTPResponse {
        HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge], url: try request().url)
    }

    @Test("two requests with the same nonce use different counts")
    func counted() throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        let challenge = try refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        var (one, other, third) = (try request(), try request(), try request())
        try digest.authenticate(&one)
        try digest.authenticate(&other)
        #expect(try digest.recover(from: challenge, to: one))
        try digest.authenticate(&one)
        #expect(try digest.recover(from: challenge, to: other))
        try digest.authenticate(&other)
        try digest.authenticate(&third)
        let counts = [one, other, third].map { $0.headers[.authorization]?.firstRange(of: "nc=0000000") != nil }
        #expect(counts == [true, true, true])
        for (number, request) in [one, other, third].enumerated() {
            #expect(request.headers[.authorization]?.contains("nc=0000000\(number + 1),") == true)
        }
    }

    @Test("the count of a nonce continues after the server used another one")
    func alternating() throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        var counts: [String] = []
        for nonce in ["a", "b", "a", "b", "a"] {
            let challenge = try refusal("Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\"")
            var request = try request()
            #expect(try digest.recover(from: challenge, to: request))
            try digest.authenticate(&request)
            let field = try #require(request.headers[.authorization])
            counts.append(nonce + String(try #require(field.firstMatch(of: /nc=0*(\d+),/)).1))
        }
        #expect(counts == ["a1", "b1", "a2", "b2", "a3"])
    }

    @Test(
        "the error for a challenge that cannot be answered gives the reason",
        arguments: [
            ("Digest realm=\"r\", nonce=\"n\", algorithm=SHA3", "the digest algorithm \"SHA3\" is not known"),
            ("Digest realm=\"r\", nonce=\"n\", qop=\"x\"", "the quality of protection \"x\" is not known"),
            ("Digest realm=\"r\"", "the digest challenge has no realm or no nonce"),
        ])
    func unanswered(challenge: String, reason: String) throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        #expect(throws: DigestChallenge.Problem(reason: reason)) {
            try digest.recover(from: refusal(challenge), to: request())
        }
        #expect(try !digest.recover(from: refusal("Basic realm=\"r\""), to: request()))
        #expect(try digest.recover(from: refusal("\(challenge), Digest realm=\"r\", nonce=\"m\""), to: request()))
    }

    @Test("auth-int cannot protect a body that is not in memory")
    func stream() throws {
        let digest = DigestAuthenticator(user: "u", password: "p")
        let challenge = try refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"")
        #expect(try digest.recover(from: challenge, to: request()))
        var streaming = try request()
        streaming.body = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        #expect(throws: DigestChallenge.Problem.self) { try digest.recover(from: challenge, to: streaming) }
        #expect(throws: HTTPError(.encoding("the body"))) { try digest.authenticate(&streaming) }
    }

    @Test("the example of RFC 7616 section 3.9.1 works with both hashes in one header")
    func example() throws {
        let challenges = all(in: Self.rfc)
        #expect(challenges.map(\.algorithm) == [.sha256, .md5])
        let answers = challenges.map {
            $0.answer(
                user: "Mufasa", password: "Circle of Life", method: "GET", uri: "/dir/index.html",
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", count: 1)
        }
        #expect(answers[0].contains(#"response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1""#))
        #expect(answers[1].contains(#"response="8ca523f5e9506fed4657c9700eebdbec""#))
        for answer in answers {
            #expect(answer.contains(#"uri="/dir/index.html""#) && answer.contains("qop=auth, nc=00000001, cnonce="))
            #expect(answer.contains(#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#))
        }
    }

    @Test("a challenge without qop is answered as in RFC 2069")
    func old() throws {
        let field = #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        let challenge = try #require(all(in: field).first)
        let answer = challenge.answer(
            user: "Mufasa", password: "CircleOfLife", method: "GET", uri: "/dir/index.html", clientNonce: "x", count: 1)
        #expect(answer.contains(#"response="1949323746fe6a43ef61f9606e7febea""#) && !answer.contains("qop"))
    }

    @Test(
        "an unusable challenge is skipped, and any text can be parsed",
        arguments: [
            "", "Digest", "Basic realm=\"x\"", "Digest nonce=\"x\"", "Digest realm=x, nonce=y, algorithm=SHA-512-256",
            "Digest realm=\"x\", nonce=\"y\", qop=\"other\"", ",,,", "\"", "Digest realm=\"\\", "=", "Digest =\"x\"",
        ])
    func none(field: String) { #expect(all(in: field).isEmpty) }

    @Test("a header with quotes, escapes and several schemes is parsed correctly")
    func fields() {
        let found = AuthenticationField.challenges(in: #"Basic realm="a, \"b\" c" , Digest  nonce = n, realm="r"; x"#)
        #expect(found.map(\.scheme).prefix(2) == ["Basic", "Digest"])
        #expect(found[0].parameters["realm"] == #"a, "b" c"#)
        #expect(found[1].parameters["nonce"] == "n")
    }

    @Test("names and realms are quoted so that they cannot add parameters")
    func quoting() throws {
        let challenge = try #require(all(in: #"Digest realm="a\"b", nonce="n""#).first)
        let answer = challenge.answer(
            user: #"x", uri="/evil"#, password: "", method: "GET", uri: "/", clientNonce: "c", count: 1)
        #expect(answer.hasPrefix(#"Digest username="x\", uri=\"/evil", realm="a\"b", nonce="n", uri="/""#))
    }
}
