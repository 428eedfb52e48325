import Foundation
import HalyardSigning
import TestSupport
import Testing

/// Keys from the environment and from the file of the command line tool, and codes of messages.
struct CredentialsTests {
    @Test("the environment has keys, and a missing one is an error that names it")
    func environment() throws {
        let variables = [
            "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "",
        ]
        #expect(
            try AWSCredentials.environment(variables) == AWSCredentials(accessKeyID: "id", secretAccessKey: "secret"))
        let error = #expect(throws: HTTPError.self) {
            try AWSCredentials.environment(["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": ""])
        }
        #expect(error?.kind == .encoding("AWS_SECRET_ACCESS_KEY"))
    }

    @Test("a file has the keys of a profile, whatever is around them")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "credentials")
        let text = """
            # a comment = no
            aws_access_key_id = before
            [default]
            aws_access_key_id=id1\r
              AWS_SECRET_ACCESS_KEY =  s1=/+
            [ work ]
            ; another
            aws_access_key_id = id2
            aws_secret_access_key = s2
            aws_session_token = t2
            [empty]
            """
        try Data(text.utf8).write(to: file)
        #expect(
            try AWSCredentials.file(profile: "default", at: file)
                == AWSCredentials(accessKeyID: "id1", secretAccessKey: "s1=/+"))
        #expect(
            try AWSCredentials.file(profile: "work", at: file)
                == AWSCredentials(accessKeyID: "id2", secretAccessKey: "s2", sessionToken: "t2"))
        let unknown = #expect(throws: HTTPError.self) { try AWSCredentials.file(profile: "x", at: file) }
        #expect(unknown?.kind == .encoding("the profile") && "\(unknown.map { "\($0)" } ?? "")".contains("\"x\""))
        let empty = #expect(throws: HTTPError.self) { try AWSCredentials.file(profile: "empty", at: file) }
        #expect(empty?.kind == .encoding("aws_access_key_id"))
        let missing = #expect(throws: HTTPError.self) {
            try AWSCredentials.file(at: folder.url.appending(path: "no"))
        }
        #expect(missing?.kind == .unreadableFile(folder.url.appending(path: "no").path))
    }

    /// RFC 4231, test cases 1, 2, 6 and 7.
    @Test(arguments: [
        (
            Data(repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Data("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Data(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            Data(repeating: 0xAA, count: 131),
            "This is a test using a larger than block-size key and a larger than block-size data. "
                + "The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func `codes are those of the RFC, in one part or in several`(key: Data, message: String, expected: String) {
        func hexadecimal(_ data: Data) -> String {
            data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let code = HMACSHA256.code(for: Data(message.utf8), key: key)
        #expect(hexadecimal(code) == expected)
        var parts = HMACSHA256(key: key)
        for byte in message.utf8 { parts.update([byte]) }
        #expect(parts.finish() == code && HMACSHA256.isValid(code, for: Data(message.utf8), key: key))
        for text in [expected, expected.uppercased()] {
            #expect(HMACSHA256.isValid(hexadecimal: text, for: Data(message.utf8), key: key))
        }
        for text in [
            "", "x" + expected.dropFirst(), expected + "0", String(expected.dropLast(2)), "sha256=" + expected,
        ] {
            #expect(!HMACSHA256.isValid(hexadecimal: text, for: Data(message.utf8), key: key))
        }
        #expect(!HMACSHA256.isValid(code.dropLast(), for: Data(message.utf8), key: key))
        #expect(!HMACSHA256.isValid(Data(repeating: 0xFF, count: 32), for: Data(message.utf8), key: key))
        for bit in 0..<256 {
            var forged = code
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(!HMACSHA256.isValid(forged, for: Data(message.utf8), key: key), "bit \(bit)")
        }
        #expect("\(parts) \(String(reflecting: parts))" == "HMAC with SHA-256 HMAC with SHA-256")
    }
}
