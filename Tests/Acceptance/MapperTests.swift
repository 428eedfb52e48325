import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Objects in requests and responses, and the errors of bodies that do not match.
@Suite(.timeLimit(.minutes(3)))
struct MapperTests {
    struct API: HTTPProvider {
        let baseURL: URL
        var mapper = ObjectMapper.standard
    }

    struct Event: Codable, Equatable, Sendable {
        var eventName: String
        var startsAt: Date
    }

    private let server: LoopbackServer
    private let api: API
    private let me = Route(path: "/me")

    init() throws {
        server = try .accepting()
        api = API(baseURL: server.baseURL)
    }

    private func api(_ mapper: ObjectMapper) -> API { API(baseURL: server.baseURL, mapper: mapper) }

    @Test(
        "dates and keys are decoded in the provider's styles",
        arguments: [
            (ObjectMapper(), #"{"eventName":"a","startsAt":1500}"#),
            (ObjectMapper(dates: .secondsSince1970), #"{"eventName":"a","startsAt":1.5}"#),
            (ObjectMapper(dates: .iso8601), #"{"eventName":"a","startsAt":"1970-01-01T00:00:01.5Z"}"#),
            (ObjectMapper(dates: .iso8601), #"{"eventName":"a","startsAt":"1970-01-01T00:00:01.500Z"}"#),
            (ObjectMapper(dates: .iso8601), #"{"eventName":"a","startsAt":"1970-01-01T01:00:01.500+01:00"}"#),
            (ObjectMapper(keys: .snakeCase), #"{"event_name":"a","starts_at":1500}"#),
        ])
    func reading(mapper: ObjectMapper, json: String) async throws {
        server.on(.get, "/me", .json(text: json))
        let event = Event(eventName: "a", startsAt: Date(timeIntervalSince1970: 1.5))
        #expect(try await api(mapper).request(me).object(Event.self) == event)
        #expect(try await api(mapper).request(me).future(of: Event.self).value == event)
        let called: Response<Event> = await response { api(mapper).request(me).responseObject($0) }
        #expect(called.value == event)
    }

    @Test(
        "ISO 8601 dates may contain fractions of a second",
        arguments: [
            ("2030-01-31T14:02:03Z", 1_896_098_523.0), ("2030-01-31T14:02:03.25Z", 1_896_098_523.25),
            ("2030-01-31T16:02:03+02:00", 1_896_098_523), ("2030-01-31T14:02:03.123456Z", 1_896_098_523.123456),
        ])
    func fractions(text: String, seconds: Double) async throws {
        server.on(.get, "/me", .json([text]))
        let dates = try await api(ObjectMapper(dates: .iso8601)).request(me).object([Date].self)
        #expect(abs(dates[0].timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test(
        "dates and keys are encoded in the provider's styles",
        arguments: [
            (ObjectMapper(), #"{"eventName":"a","startsAt":1500}"#),
            (ObjectMapper(dates: .secondsSince1970), #"{"eventName":"a","startsAt":1.5}"#),
            (
                ObjectMapper(dates: .iso8601, keys: .snakeCase),
                #"{"event_name":"a","starts_at":"1970-01-01T00:00:01Z"}"#
            ),
        ])
    func writing(mapper: ObjectMapper, json: String) async throws {
        let event = Event(eventName: "a", startsAt: Date(timeIntervalSince1970: 1.5))
        try await api(mapper).request(Route(path: "/me", method: .put, body: .json(event))).void()
        #expect(try server.request.text == json)
        #expect(try server.request.headers[.contentType] == "application/json")
    }

    @Test("a route's mapper takes precedence over the provider's, in both directions")
    func byRoute() async throws {
        let api = api(ObjectMapper(dates: .secondsSince1970))
        let event = Event(eventName: "a", startsAt: Date(timeIntervalSince1970: 2))
        let text = #"{"event_name":"a","starts_at":"1970-01-01T00:00:02Z"}"#
        server.on(.put, "/me", .json(text: text))
        let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
        let route = Route(path: "/me", method: .put, body: .json(event)).mapper(mapper)
        #expect(try await api.request(route).object(Event.self) == event)
        #expect(try server.request.text == text)
        // A route without a mapper uses the provider's mapper.
        await #expect(throws: HTTPError.decoding) {
            try await api.request(Route(path: "/me", method: .put, body: .json(event))).object(Event.self)
        }
        #expect(server.requests.last?.text == #"{"eventName":"a","startsAt":2}"#)
    }

    @Test("a mapper uses a custom decoder and a custom encoder")
    func own() async throws {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        decoder.dataDecodingStrategy = .custom { Data(try $0.singleValueContainer().decode(String.self).utf8) }
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(String(decoding: data, as: UTF8.self))
        }
        server.on(.put, "/me", .json(["data": "in"]))
        let route = Route(path: "/me", method: .put, body: .json(["data": Data("out".utf8)]))
        let api = api(ObjectMapper(decoder: decoder, encoder: encoder))
        #expect(try await api.request(route).object([String: Data].self) == ["data": Data("in".utf8)])
        #expect(try server.request.text == #"{"data":"out"}"#)
    }

    @Test("an object that cannot be encoded fails the request, and nothing is sent")
    func unwritable() async throws {
        let route = Route(path: "/me", method: .put, body: .json(["ratio": Double.infinity]))
        let error = await failure { try await api.request(route).void() }
        #expect(error == HTTPError(.encoding("the body")) && error?.cause is EncodingError)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "an empty body is nil for optionals and accepted for Void, and fails for any other type", arguments: [200, 204])
    func empty(status: Int) async throws {
        server.on(.get, "/me", .status(status))
        #expect(try await api.request(me).object(Event?.self) == nil)
        #expect(try await api.request(me).future(of: Event?.self).value == nil)
        let called = await response { api.request(me).responseObject(of: [Event]?.self, $0) }
        #expect(called.value == .some(nil) && called.isSuccessful)
        try await api.request(me).void()
        try await api.request(me).future(.void).value

        let error = await failure { _ = try await api.request(me).object(Event.self) }
        #expect(error == HTTPError(.emptyResponse) && error?.status == status && error?.recoverySuggestion != nil)
        server.on(.get, "/me", .json(text: "null"))
        #expect(try await api.request(me).object(Event?.self) == nil)
    }

    @Test("an optional value is decoded if present, and an invalid one fails")
    func optional() async throws {
        server.on(.get, "/me", .json(text: #"{"eventName":"a","startsAt":0}"#), .json(text: #"{"eventName":1}"#))
        #expect(try await api.request(me).object(Event?.self)?.eventName == "a")
        await #expect(throws: HTTPError.decoding) { try await api.request(me).object(Event?.self) }
    }

    @Test(
        "the error for a mismatched body includes the type, the path, and the expected and found values",
        arguments: [
            (#"[{"eventName":"a"}]"#, #""[0].startsAt" is missing, but Event requires it"#),
            (#"[{"eventName":7,"startsAt":1}]"#, #""[0].eventName" is a number, where Event needs String"#),
            (#"[{"eventName":null,"startsAt":1}]"#, #""[0].eventName" is null, where Event needs String"#),
            (#"{"eventName":"a"}"#, "the body is an object, where Array<Event> needs an array"),
        ])
    func mismatch(json: String, reason: String) async throws {
        server.on(.get, "/me", .json(text: json, headers: ["X-Trace": "t1"]))
        let error = try #require(await failure { _ = try await api.request(me).object([Event].self) })
        #expect(error == HTTPError.decoding && error.reason == reason)
        #expect(error.cause is DecodingError)
        #expect(error.response?.text == json && error.response?.headers["X-Trace"] == "t1" && error.status == 200)
        #expect(error.request?.url.path() == "/me" && error.sendCount == 1)
        #expect(error.description.contains(reason) && error.recoverySuggestion != nil)
    }

    @Test("the error for an invalid date includes its path")
    func noDate() async throws {
        server.on(.get, "/me", .json(["eventName": "a", "startsAt": "yesterday"]))
        let error = await failure {
            _ = try await api(ObjectMapper(dates: .iso8601)).request(me).object(Event.self)
        }
        #expect(error?.reason == #""startsAt" is not valid for Event: "yesterday" is not an ISO 8601 date"#)
    }

    /// A class that is not Sendable, and belongs to the main actor.
    final class Track: Decodable { var title: String }

    @Test("a class that is not Sendable is decoded off the main actor and lives on it")
    @MainActor
    func track() async throws {
        server.on(.get, "/me", .json(["title": "One"]))
        let track = try await api.request(me).object(Track.self)
        track.title += " more"
        let inferred: Track = try await api.request(me).object()
        let listed = try await api.request(me).object([String: String].self)
        #expect(track.title == "One more" && inferred.title == "One" && listed == ["title": "One"])
    }
}
