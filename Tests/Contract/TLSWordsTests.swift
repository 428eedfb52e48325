import HalyardHTTP
import Testing

@testable import HalyardURLSession

extension Contract {
    /// Errors of URLSession on Linux, which has one code for all certificate errors.
    @Suite struct TLSWordsTests {
        @Test(arguments: [
            ("SSL certificate problem: certificate has expired", HTTPError.TLSFailure.expired),
            ("SSL certificate problem: certificate is not yet valid", .expired),
            ("SSL certificate problem: self-signed certificate", .selfSigned),
            ("SSL certificate problem: self signed certificate", .selfSigned),
            ("SSL certificate problem: self-signed certificate in certificate chain", .unknownRoot),
            ("SSL certificate problem: unable to get local issuer certificate", .unknownRoot),
            ("SSL: no alternative certificate subject name matches target host name 'a.example'", .wrongHost),
            ("SSL: certificate subject name 'b.example' does not match target host name 'a.example'", .wrongHost),
        ])
        func `libcurl's messages are mapped to TLS failures`(words: String, failure: HTTPError.TLSFailure) {
            #expect(HTTPError.TLSFailure(message: words) == failure)
        }

        @Test(arguments: ["", "Recv failure: Connection reset by peer", "Received HTTP/0.9 when not allowed"])
        func `other messages are not mapped to TLS failures`(words: String) {
            #expect(HTTPError.TLSFailure(message: words) == nil)
        }
    }
}
