import HalyardHTTP
import Testing

@testable import Halyard

/// Challenges and answers without a network, and the hashes they are made of.
struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    @Test(
        "RFC 1321's test suite, and a message of more than a block",
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
        "FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, hash: String) { #expect(hex(SHA256Digest.hash(Array(text.utf8))) == hash) }

    @Test("every length round the border of a block", arguments: [55, 56, 57, 63, 64, 65, 119, 120, 128])
    func borders(count: Int) {
        #expect((Array(repeating: 0x61, count: count) as [UInt8]).paddedToBlocks.count % 64 == 56)
    }

    private static let rfc = """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", \
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    @Test("the example of RFC 7616 section 3.9.1, by both hashes, out of one field")
    func example() throws {
        let challenges = DigestChallenge.all(in: Self.rfc)
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

    @Test("RFC 2069: without a quality of protection")
    func old() throws {
        let field = #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
        let challenge = try #require(DigestChallenge.all(in: field).first)
        let answer = challenge.answer(
            user: "Mufasa", password: "CircleOfLife", method: "GET", uri: "/dir/index.html", clientNonce: "x", count: 1)
        #expect(answer.contains(#"response="1949323746fe6a43ef61f9606e7febea""#) && !answer.contains("qop"))
    }

    @Test(
        "what cannot be answered is none, and nothing stops the reader",
        arguments: [
            "", "Digest", "Basic realm=\"x\"", "Digest nonce=\"x\"", "Digest realm=x, nonce=y, algorithm=SHA-512-256",
            "Digest realm=\"x\", nonce=\"y\", qop=\"auth-int\"", ",,,", "\"", "Digest realm=\"\\", "=", "Digest =\"x\"",
        ])
    func none(field: String) { #expect(DigestChallenge.all(in: field).isEmpty) }

    @Test("fields with quotes, escapes and several schemes are read as they are meant")
    func fields() {
        let found = AuthenticationField.challenges(in: #"Basic realm="a, \"b\" c" , Digest  nonce = n, realm="r"; x"#)
        #expect(found.map(\.scheme).prefix(2) == ["Basic", "Digest"])
        #expect(found[0].parameters["realm"] == #"a, "b" c"#)
        #expect(found[1].parameters["nonce"] == "n")
    }

    @Test("names and realms are quoted, so that nothing breaks out of them")
    func quoting() throws {
        let challenge = try #require(DigestChallenge.all(in: #"Digest realm="a\"b", nonce="n""#).first)
        let answer = challenge.answer(
            user: #"x", uri="/evil"#, password: "", method: "GET", uri: "/", clientNonce: "c", count: 1)
        #expect(answer.hasPrefix(#"Digest username="x\", uri=\"/evil", realm="a\"b", nonce="n", uri="/""#))
    }
}
