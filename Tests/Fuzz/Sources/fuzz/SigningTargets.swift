import Foundation
import HalyardAsync
import HalyardOAuth
import HalyardSigning
import HalyardTesting

// What a server says when a program signs in or verifies, and what a program finds in its files.

extension Chance {
    /// Returns words of a grammar mixed with hostile text.
    fileprivate mutating func words(_ words: [String], _ length: Range<Int>, hostile: Int = 12) -> String {
        (0..<number(length)).map { _ in oneIn(hostile) ? text(0..<3) : words[number(0..<words.count)] }.joined()
    }
}

/// Structured fields: the checker says with the grammar of the standard which texts are valid. What is read is written,
/// and must be valid and read as the same value.
@Sendable func fuzzFields(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "a", "b=", "*a", "1", "-", "12.5", "0.1234", "123456789012345", "1234567890123456", ".", ", ", ",", " ", "\t",
        ";",
        ";x", ";y=", "=", "(", ")", "\"", "\"q\"", "\"\\\\\"", "\\", ":", ":YWI=:", ":YWI:", "YW", "?1", "?", "@", "@1",
        "@-5", "%\"", "%\"%c3%a4\"", "%\"%C3\"", "%\"%ff\"", "tok/en:", "A",
    ]
    var headers = HTTPHeaders()
    let text = chance.words(words, 0..<12, hostile: 30)
    do { try headers.append(text, for: "X-Field") } catch { return }
    // The spaces at the ends are not a part of the value.
    guard let value = headers["X-Field"] else { return }
    func read<Value: Equatable>(
        _ read: (HTTPHeaders) throws -> Value?, _ write: (Value) throws -> String
    ) throws -> JSON {
        guard let result = try? read(headers) else { return .null }
        let written = try write(result)
        guard try written.isEmpty || (read(HTTPHeaders(["X-Field": written]))) == result else { fatalError(value) }
        return .string(written)
    }
    try await checker.report([
        "kind": "field", "text": .string(value),
        "item": try read({ try $0.structuredItem("X-Field") }, { try $0.fieldValue() }),
        "list": try read({ try $0.structuredList("X-Field") }, { try $0.fieldValue() }),
        "dictionary": try read({ try $0.structuredDictionary("X-Field") }, { try $0.fieldValue() }),
    ])
}

/// The redirect of a login: the checker says which query belongs to it, and what it says.
@Sendable func fuzzRedirects(_ chance: inout Chance, _ checker: Checker) async throws {
    guard let base = URL(string: "https://a.example/") else { fatalError() }
    let stub = StubTransport().on(.post, "/", .json(["access_token": "a"]))
    let server = OAuthServer(
        issuer: chance.oneIn(2) ? base : nil, tokenURL: base, authorizationURL: base, sendsIssuer: chance.oneIn(4))
    let client = OAuthClient(id: "app", server: server, http: HTTPClient(transport: stub))
    let words = [
        "code=", "c%20d", "&", "&", "=", "error=", "access_denied", "error_description=", "iss=",
        "https%3A%2F%2Fa.example%2F", "state=", "STATE", "&state=STATE", "%", "+", "%ff", "%00", ";", "x",
    ]
    let template = chance.words(words, 0..<12).filter { $0 != "#" && $0 != "?" }
    let queries = Answer()
    var outcome = "token"
    do {
        _ = try await client.login(redirectURL: base) { url in
            let state = url.absoluteString.firstRange(of: "&state=").map { url.absoluteString[$0.upperBound...] } ?? ""
            let query = template.replacing("STATE", with: String(state.prefix { $0 != "&" }))
            guard let answer = URL(string: "https://a.example/?" + query) else { throw CancellationError() }
            let text = String(answer.absoluteString.dropFirst("https://a.example/?".count))
            await queries.set(text, state: String(state.prefix { $0 != "&" }))
            return answer
        }
    } catch is CancellationError { return } catch let error as OAuthError { outcome = "\(error.code)" }
    try await checker.report([
        "kind": "redirect", "query": .string(await queries.query), "outcome": .string(outcome),
        "issuer": .bool(server.issuer != nil), "sendsIssuer": .bool(server.sendsIssuer),
        "form": .string(await queries.masked(String(decoding: stub.requests.first?.body ?? Data(), as: UTF8.self))),
    ])
}

/// The query of a redirect, with a fixed text in place of the state.
private actor Answer {
    private(set) var query = ""
    private var state = ""

    func set(_ query: String, state: String) {
        self.state = state
        self.query = masked(query)
    }

    func masked(_ text: String) -> String { state.isEmpty ? text : text.replacing(state, with: "STATE") }
}

/// The credentials file of the AWS CLI: the checker reads it with Python's parser, as the CLI does.
@Sendable func fuzzCredentials(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "[default]\n", "[other]\n", "aws_access_key_id = A\n", "aws_secret_access_key=s/+=x\n", "AWS_ACCESS_KEY_ID=B\n",
        "aws_session_token = t\n", "# a comment\n", "; another\n", "\n", "aws_session_token =\n", "region = eu\r\n",
        "aws_secret_access_key = s # x\n",
    ]
    let text = chance.words(words, 0..<10, hostile: 1 << 30)
    let file = FileManager.default.temporaryDirectory.appending(path: "credentials-\(getpid())")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var found: JSON = .null
    if let keys = try? AWSCredentials.file(profile: "default", at: file) {
        found = [
            .string(keys.accessKeyID), .string(keys.secretAccessKey), keys.sessionToken.map { .string($0) } ?? .null,
        ]
    }
    try await checker.report(["kind": "credentials", "text": .string(text), "found": found])
}

/// Signed responses, of which a part is changed: only what the signature does not cover may differ.
@Sendable func fuzzSignatures(_ chance: inout Chance, _ checker: Checker) async throws {
    let key = MessageSignatureKey.hmacSHA256(Data("secret".utf8), id: "k")
    guard let url = URL(string: "https://a.example/p?q=1") else { fatalError() }
    var request = try HTTPRequest(.post, url)
    request.body = HTTPBody(Data("body".utf8))
    request.headers = ["X-A": "1, 2", "X-B": "b"]
    let covered: [StructuredItem] = ["@method", "@target-uri", "content-digest", "x-a"]
    try await MessageSignature(key, covering: covered).authenticate(&request)
    let genuine = request
    let names = ["X-A", "X-B", "Signature", "Signature-Input", "Content-Digest"]
    let name = names[chance.number(0..<names.count)]
    var scalars = Array((request.headers[name] ?? "").unicodeScalars)
    let words = [",", ";", "\"", "(", ")", ":", "=", " ", "a", "1", "?0", ";req", ";sf", ", sig1=()", "sig2=()"]
    for _ in 0..<chance.number(1..<3) {
        let place = chance.number(0..<scalars.count + 1)
        let end = min(scalars.count, place + chance.number(0..<3))
        scalars.replaceSubrange(place..<end, with: words[chance.number(0..<words.count)].unicodeScalars)
    }
    request.headers[name] = String(String.UnicodeScalarView(scalars))
    var isAccepted = false
    do {
        try await key.verify(request, covering: covered)
        isAccepted = true
    } catch is MessageSignatureError {} catch is HTTPError {}
    let pairs = names.map { name -> JSON in
        [.string(genuine.headers[name] ?? ""), .string(request.headers[name] ?? "")]
    }
    try await checker.report([
        "kind": "signature", "fields": .array(pairs), "isAccepted": .bool(isAccepted),
    ])
}
