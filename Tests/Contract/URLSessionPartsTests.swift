import Foundation
import HalyardHTTP
import Testing

@testable import HalyardURLSession

extension Contract {
    /// Decisions of the URLSession engine itself.
    @Suite struct URLSessionPartsTests {
        @Test(arguments: [
            ("a=1", ["a=1"]),
            ("a=1, b=2", ["a=1", "b=2"]),
            (
                "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/, b=2",
                [
                    "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/", "b=2",
                ]
            ),
            ("a=x,y;Path=/,b=", ["a=x,y;Path=/", "b="]),
            ("a=1, no cookie", ["a=1, no cookie"]),
            ("", [""]),
        ])
        func `joined Set-Cookie headers are split`(joined: String, cookies: [String]) {
            #expect(joined.splitCookies() == cookies)
        }

        @Test func `an App Transport Security error has its own kind and suggestion`() throws {
            let url = try #require(URL(string: "http://api.example.com:8080/me"))
            let error = HTTPError(
                URLError(.appTransportSecurityRequiresSecureConnection), try HTTPRequest(.get, url))
            #expect(URLError.Code.appTransportSecurityRequiresSecureConnection.rawValue == -1022)
            #expect(error == HTTPError(.insecureConnection("http://api.example.com:8080")))
            #expect(error.description.contains("NSAppTransportSecurity"))
            #expect(error.request?.url == url)
        }

        @Test func `the public key is found in a certificate and not in other data`() throws {
            // The output of `openssl req -x509`, and the key that `openssl x509 -pubkey` prints for it.
            let certificate = try #require(Data(base64Encoded: Self.certificate))
            #expect(PublicKeyInfo.find(inCertificate: certificate)?.base64EncodedString() == Self.key)
            for count in 0..<certificate.count {
                #expect(PublicKeyInfo.find(inCertificate: certificate.prefix(count)) == nil)
            }
            #expect(PublicKeyInfo.find(inCertificate: Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])) == nil)
        }

        private static let certificate = """
            MIIBfTCCASOgAwIBAgIUTpiIJAtZ1nF9cIa5AnDX4VpucMkwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJYS5leGFtcGxlMB4XDTI2\
            MTEyMTA3MjYwM1oXDTM2MTExODA3MjYwM1owFDESMBAGA1UEAwwJYS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\
            /jhPmp77qnDHh0uxGOjCnzMPfvfZ0JdkqSGbdmiGvZ+q47kgGyfaqMpt9SAVlq9N4uBJE47qVfvKU3HwnmM+vKNTMFEwHQYDVR0O\
            BBYEFD6EqWysGoG+1F8xoXQPcycKMu0qMB8GA1UdIwQYMBaAFD6EqWysGoG+1F8xoXQPcycKMu0qMA8GA1UdEwEB/wQFMAMBAf8w\
            CgYIKoZIzj0EAwIDSAAwRQIgboFm39hKIsuhRoIKg1tFdn0bKx+QceQ81bEU0/rWZ0kCIQDYmA1yW3m0/9sGh/+UdEfN10va9zXJ\
            VJqeoDVgMrPRpg==
            """
        private static let key = """
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/jhPmp77qnDHh0uxGOjCnzMPfvfZ0JdkqSGbdmiGvZ+q47kgGyfaqMpt9SAVlq9N\
            4uBJE47qVfvKU3HwnmM+vA==
            """
    }
}
