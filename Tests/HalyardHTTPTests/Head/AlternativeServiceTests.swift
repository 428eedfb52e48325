import HalyardHTTP
import Testing

/// `Alt-Svc` (RFC 7838).
struct AlternativeServiceTests {
    private func services(_ fields: String...) -> [String]? {
        var headers = HTTPHeaders()
        for field in fields { try? headers.append(field, for: "Alt-Svc") }
        return headers.alternativeServices?.map {
            "\($0.protocolID) \($0.host ?? "-") \($0.port) \($0.lifetime.components.seconds) \($0.persists)"
        }
    }

    @Test func `services are listed in their order, with their parameters`() {
        #expect(services("h3=\":443\"") == ["h3 - 443 86400 false"])
        #expect(
            services("h3=\":443\"; ma=60;persist=1, h2=\"B.example:8443\" ; x=\"a,b\"", "h3%2D29=\"[::1]:1\"; ma=\"5\"")
                == ["h3 - 443 60 true", "h2 b.example 8443 86400 false", "h3-29 [::1] 1 5 false"])
        #expect(services(" , h3=\":1\"; ma=x; persist=2,, ") == ["h3 - 1 86400 false"])
    }

    @Test(arguments: [("80000", 6400), ("99999999999999999999", 0), ("x", 86400), ("-1", 86400)])
    func `the age of a stored response is subtracted`(age: String, seconds: Int) {
        let headers: HTTPHeaders = ["Alt-Svc": "h3=\":443\"", "Age": age]
        #expect(headers.alternativeServices?.map(\.lifetime) == [.seconds(seconds)])
    }

    @Test func `clear revokes the earlier services`() {
        #expect(services("clear") == [])
        #expect(services("CLEAR") == nil && services("clear, h3=\":1\"") == nil)
    }

    @Test(arguments: [
        "", "h3", "h3=:443", "h3=\"443\"", "h3=\":0\"", "h3=\":65536\"", "h3=\":443", "h3=\":1\" x", "h3=\":1\";",
        "=\":1\"",
        "h3=\":1\"; ma", "h3=\":1\"; ma=", "h3 =\":1\"",
    ])
    func `a field that is not valid is ignored`(field: String) { #expect(services(field) == nil) }
}
