import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Custom serializers, in a list that is searched in order.
@Suite(.timeLimit(.minutes(3)))
struct SerializerTests {
    /// Rows of cells, a type that is not `Codable`.
    struct CSV: Sendable, Equatable {
        var rows: [[String]]
    }

    struct Ragged: Error, Equatable {}

    struct CSVSerializer: ValueSerializer {
        let contentType = "text/csv; charset=utf-8"

        func encode(_ table: CSV) throws -> Data {
            guard Set(table.rows.map(\.count)).count <= 1 else { throw Ragged() }
            return Data(table.rows.map { $0.joined(separator: ",") }.joined(separator: "\n").utf8)
        }

        func decode(from response: HTTPResponse) throws -> CSV {
            let rows = response.text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
            guard Set(rows.map(\.count)).count <= 1 else { throw Ragged() }
            return CSV(rows: rows)
        }
    }

    /// A format for all Codable types: JSON after an exclamation mark.
    struct Shouted: Serializer {
        let contentType = "application/x-shouted"
        func writes(_ type: Any.Type) -> Bool { type is any Encodable.Type }
        func reads(_ type: Any.Type) -> Bool { type is any Decodable.Type }
        func encode<T>(_ value: T, as type: T.Type) throws -> Data {
            guard let value = value as? any Encodable else { throw Ragged() }
            return try Data("!".utf8) + JSONEncoder().encode(value)
        }
        func decode<T>(_ type: T.Type, from response: HTTPResponse) throws -> T {
            guard let type = type as? any Decodable.Type,
                let value = try JSONDecoder().decode(type, from: response.data.dropFirst()) as? T
            else { throw Ragged() }
            return value
        }
    }

    private let stub = StubTransport()
    private var api: TestAPI { TestAPI(stub).with(\.serializers, [CSVSerializer()]) }

    private static let exchange = Endpoint(.post, "/tables", .body(CSV.self), returning: CSV.self)
    private static let table = CSV(rows: [["a", "b"], ["1", "2"]])

    @Test("the first serializer that supports a type is used for bodies and responses", .behaviors(123))
    func order() async throws {
        struct Loud: ValueSerializer {
            let contentType = "text/x-loud"
            func encode(_ table: CSV) -> Data { Data("LOUD".utf8) }
            func decode(from response: HTTPResponse) -> CSV { CSV(rows: [["LOUD"]]) }
        }
        stub.on(.post, "/tables", .text("a,b\n1,2"))
        let first = api.with(\.serializers, [Loud(), CSVSerializer(), Shouted()])
        #expect(try await first.send(Self.exchange(Self.table)) == CSV(rows: [["LOUD"]]))
        let second = api.with(\.serializers, [Shouted(), CSVSerializer(), Loud()])
        #expect(try await second.send(Self.exchange(Self.table)) == Self.table)
        #expect(stub.requests.map(\.text) == ["LOUD", "a,b\n1,2"])
        #expect(stub.requests.map { $0.headers[.contentType] } == ["text/x-loud", "text/csv; charset=utf-8"])
    }

    @Test("the provider's serializers take precedence over the client's, and those over Halyard's", .behaviors(123))
    func levels() async throws {
        stub.on(.post, "/users", .text(#"!{"id":"1","name":"Ann"}"#))
        var api = TestAPI(stub)
        api.client = HTTPClient(transport: stub, configuration: .init(serializers: [Shouted()]))
        let add = Endpoint(.post, "/users", .body(User.self), returning: User.self)
        #expect(try await api.send(add(User(id: "2", name: "Bob"))) == User(id: "1", name: "Ann"))
        #expect(stub.requests.last?.text.first == "!")
        // All ways to read a response use it.
        #expect(try await api.request(add(User(id: "2", name: "Bob"))).object(User.self).name == "Ann")
        #expect(try await api.request(add(User(id: "2", name: "Bob"))).future(of: User.self).value.name == "Ann")
    }

    @Test("a custom serializer encodes and decodes, and its errors are kept as causes", .behaviors(124))
    func both() async throws {
        stub.on(.post, "/tables", .text("a,b\n1,2"), .text("a,b\n1"))
        #expect(try await api.send(Self.exchange(Self.table)) == Self.table)
        let read = await failure { _ = try await api.send(Self.exchange(Self.table)) }
        #expect(read?.kind == .decoding)
        #expect(read?.reason == "CSVSerializer cannot read CSV: Ragged()")
        #expect(read?.cause as? Ragged == Ragged())
        #expect(read?.response?.text == "a,b\n1")
        let written = await failure { _ = try await api.send(Self.exchange(CSV(rows: [["a"], []]))) }
        #expect(written?.kind == .encoding("the body"))
        #expect(written?.reason == "CSVSerializer cannot write CSV: Ragged()")
        #expect(stub.requests.count == 2)
    }

    @Test(
        "a custom JSON serializer may reject null, and the error names an unsupported type", .behaviors(124, 91),
        .defects("BR6"))
    func values() async throws {
        struct NoJSON: Error {}
        struct Strict: ValueSerializer {
            let contentType = "application/json"
            func encode(_ json: JSON) -> Data { json.encoded() }
            func decode(from response: HTTPResponse) throws -> JSON {
                let json = try response.json()
                if case .null = json { throw NoJSON() }
                return json
            }
        }
        stub.on(.post, "/login", .json(text: #"{"token":"t"}"#), .json(text: "null"))
        let login = Endpoint(.post, "/login", .body(JSON.self), returning: JSON.self)
        let strict = TestAPI(stub).with(\.serializers, [Strict()])
        #expect(try await strict.send(login(["username": "bobby", "password": "abc123"]))["token"].string == "t")
        #expect(stub.requests.last?.text == #"{"username":"bobby","password":"abc123"}"#)
        let null = await failure { _ = try await strict.send(login([:])) }
        #expect(null?.cause is NoJSON)

        let unwritten = await failure { _ = try await TestAPI(stub).send(Self.exchange(Self.table)) }
        #expect(unwritten?.kind == .encoding("the body"))
        #expect(unwritten?.reason == "nothing writes values of the type CSV")
        let get = Endpoint(.get, "/tables", returning: CSV.self)
        stub.on(.get, "/tables", .text("a,b"))
        let unread = await failure { _ = try await TestAPI(stub).send(get) }
        #expect(unread?.kind == .decoding)
        #expect(unread?.reason == "nothing reads values of the type CSV")
        #expect(unread?.suggestion == "Make it Decodable, or give the provider a serializer that reads it")
    }

    @Test("JSON decodes to an object or a list; an empty body or invalid JSON fails", .behaviors(125))
    func json() async throws {
        stub.on(.get, "/user", .json(User(id: "1", name: "Ann")), .status(200), .text("{"))
        stub.on(.get, "/users", .json([User(id: "1", name: "Ann")]))
        let get = Endpoint(.get, "/user", returning: User.self)
        #expect(try await api.send(get).name == "Ann")
        #expect(try await api.send(Endpoint(.get, "/users", returning: [User].self)).count == 1)
        #expect(await failure { _ = try await api.send(get) }?.kind == .emptyResponse)
        #expect(await failure { _ = try await api.send(get) }?.kind == .decoding)
    }

    @Test("Halyard encodes bytes, text, JSON, forms, Codable objects, optionals and empty bodies")
    func written() async throws {
        stub.on(.put, "/x", .status(204))
        func sent<Value: Sendable>(_ value: Value) async throws -> String {
            let put = Endpoint(.put, "/x", .body(Value.self))
            try await api.send(put(value))
            let request = try #require(stub.requests.last)
            return "\(request.headers[.contentType]?.split(separator: ";").first ?? "-") \(request.text)"
        }
        #expect(try await sent(Data("b".utf8)) == "application/octet-stream b")
        #expect(try await sent("text") == "text/plain text")
        #expect(try await sent(["a": 1] as JSON) == #"application/json {"a":1}"#)
        #expect(try await sent(["a": "x y", "b": 2] as Parameters) == "application/x-www-form-urlencoded a=x%20y&b=2")
        #expect(try await sent(User(id: "1", name: "Ann")) == #"application/json {"id":"1","name":"Ann"}"#)
        #expect(try await sent(Optional("text")) == "text/plain text")
        #expect(try await sent(String?.none) == "- ")
        #expect(try await sent(()) == "- ")
        #expect(try await sent([.text("v", name: "k")] as [MultipartPart]).hasPrefix("multipart/form-data --Boundary-"))
    }

    @Test("Halyard decodes bytes, text, JSON, the response, Codable objects, optionals and empty bodies")
    func read() async throws {
        func read<Value: Sendable>(_ type: Value.Type, _ answer: StubResponse) async throws -> Value {
            stub.on(.get, "/x", answer)
            return try await api.send(Endpoint(.get, "/x", returning: type))
        }
        #expect(try await read(Data.self, .json("s")) == Data(#""s""#.utf8))
        #expect(try await read(String.self, .text("plain")) == "plain")
        #expect(try await read(String.self, .json("s")) == "s")
        #expect(try await read(JSON.self, .json(text: "[1]"))[0].int == 1)
        #expect(try await read(HTTPResponse.self, .status(201)).status == 201)
        #expect(try await read([Int].self, .json([1, 2])) == [1, 2])
        #expect(try await read(Void.self, .text("ignored")) == ())
        #expect(try await read(User?.self, .status(204)) == nil)
        #expect(try await read(User?.self, .json(text: "null")) == nil)
        #expect(try await read(User?.self, .json(User(id: "1", name: "Ann")))?.name == "Ann")
        #expect(try await read(String?.self, .status(204)) == nil)
        #expect(try await read(String?.self, .text("t")) == "t")
        #expect(try await read(Data?.self, .status(204)) == nil)
        #expect(try await read(Data?.self, .text("t")) == Data("t".utf8))
        #expect(await failure { _ = try await read(User.self, .status(204)) }?.kind == .emptyResponse)
    }

    @Test("a list of serializers that all have one type is accepted")
    func homogeneous() async throws {
        struct API: HTTPProvider {
            let baseURL = URL(string: "https://api.example.com")!
            let client: HTTPClient
            let serializers: Serializers = [CSVSerializer()]
        }
        stub.on(.post, "/tables", .text("a,b"))
        let api = API(client: HTTPClient(transport: stub))
        #expect(try await api.send(Self.exchange(Self.table)).rows == [["a", "b"]])
    }
}
