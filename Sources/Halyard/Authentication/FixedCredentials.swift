import HalyardFoundation
import HalyardHTTP

// Credentials that are the same in every request. They do not respond to a 401.

struct Basic: Authenticator {
    let user, password: String

    func authenticate(_ request: inout HTTPRequest) throws {
        // The name ends at the first colon (RFC 7617 section 2).
        guard !user.utf8.contains(UInt8(ascii: ":")) else {
            throw HTTPError(.encoding("user"), reason: "a user name must not contain a colon")
        }
        request.headers[.authorization] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}

struct Bearer: Authenticator {
    let token: String

    func authenticate(_ request: inout HTTPRequest) { request.headers[.authorization] = "Bearer \(token)" }
    func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}

struct APIKey: Authenticator {
    let key, name: String
    let isInQuery: Bool

    func authenticate(_ request: inout HTTPRequest) throws {
        request.secretNames.insert(name)
        guard isInQuery else {
            request.headers[name] = key
            return
        }
        let text = request.address.text
        let pair = String(decoding: QueryEncoder.encode(pairs: [name: key]), as: UTF8.self)
        guard let url = URL(string: text + (text.contains("?") ? "&" : "?") + pair) else {
            throw HTTPError(.invalidURL(text))
        }
        try request.setURL(url)
    }

    func recover(from response: HTTPResponse, to request: HTTPRequest) -> Bool { false }
}
