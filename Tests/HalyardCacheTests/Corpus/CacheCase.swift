import Foundation
import HalyardAsync
import HalyardCache
import HalyardHTTP
import HalyardTesting

/// A case of the public cache tests.
struct CacheCase: Sendable {
    enum Outcome: Equatable, Sendable {
        case passed
        case failed(String)
        /// The preparation failed, which says nothing about the cache.
        case unprepared(String)
    }

    let id: String
    let name: String
    let kind: String
    let dependencies: [String]
    /// Whether it is for proxies, or for the caches of content delivery networks.
    let isForOthers: Bool
    private let requests: [JSON]

    init(_ json: JSON) {
        id = json["id"].string ?? ""
        name = json["name"].string ?? ""
        kind = json["kind"].string ?? "required"
        dependencies = (json["depends_on"].array ?? []).compactMap(\.string)
        let shared = name.lowercased().contains("shared") && json["browser_skip"].bool == true
        isForOthers = json["cdn_only"].bool == true || shared
        requests = json["requests"].array ?? []
    }

    /// A check that failed.
    private struct Failure: Error {
        let isPreparation: Bool
        let message: String
    }

    static func pathComponent(_ id: String) -> String { id.replacing("=", with: "-") + "-" }

    /// Runs the case.
    func run(_ origin: CacheOrigin, _ client: HTTPClient, _ clock: ManualClock, at base: URL) async -> Outcome {
        origin.begin(id, requests)
        do {
            for (index, config) in requests.enumerated() {
                try await send(index + 1, config, origin, client, at: base)
                if config["pause_after"].bool == true { clock.advance(by: .seconds(3)) }
            }
        } catch let failure as Failure {
            return failure.isPreparation ? .unprepared(failure.message) : .failed(failure.message)
        } catch { return .failed("\(error)") }
        return .passed
    }

    private func send(
        _ number: Int, _ config: JSON, _ origin: CacheOrigin, _ client: HTTPClient, at base: URL
    ) async throws {
        func check(_ holds: Bool, _ kind: String, _ message: @autoclosure () -> String) throws {
            if holds { return }
            let isPreparation =
                config["setup"].bool == true || config["setup_tests"].array?.contains(.string(kind)) == true
            throw Failure(isPreparation: isPreparation, message: "request \(number), \(kind): \(message())")
        }
        let request = try request(number, config, origin, at: base)
        let response: HTTPResponse
        do { response = try await client.send(request) } catch {
            let mayFail = config["disconnect"].bool == true && config["expected_type"].string != "cached"
            return try check(mayFail, "response", "\(error)")
        }
        let count = response.headers["Server-Request-Count"].flatMap { Int($0) } ?? 0
        let received = origin.received.filter { $0.number == number }
        switch config["expected_type"].string {
        case "cached"?:
            let is304 = response.status == 304 && received.isEmpty
            try check(is304 || count < number && count > 0, "expected_type", "it was not cached")
        case "not_cached"?: try check(count == number, "expected_type", "it was cached: \(response.cacheStatus!)")
        case "etag_validated"?, "lm_validated"?:
            try check(received.contains(where: \.isConfirmed), "expected_type", "it was not validated")
        default: break
        }
        let status = config["expected_status"].int ?? config["response_status"][0].int ?? 200
        // A stored response has the fields of another answer.
        let isFresh = !received.isEmpty
        let kind = config["expected_status"].isNull ? "response_status" : "expected_status"
        try check(response.status == status, kind, "the status is \(response.status), not \(status)")
        let serverNow = response.headers["Server-Now"].flatMap { HTTPDate.seconds($0) }.map(Double.init)
        for field in config["response_headers"].array ?? [] where isFresh && field[2].bool != false {
            let name = field[0].string ?? ""
            // Seconds differ between the moments of the origin's answers.
            if field[1].int != nil || ["Location", "Content-Location"].contains(name) { continue }
            try check(
                response.headers.values(for: name).contains(field[1].string ?? ""), "response_headers",
                "\(name) is \(response.headers[name] ?? "missing"), not \(field[1])")
        }
        for field in config["expected_response_headers"].array ?? [] {
            let name = field.string ?? field[0].string ?? ""
            let value = response.headers[name]
            var holds = value != nil
            if field[1].string == ">" {
                holds = value.flatMap { Int($0) }.map { $0 > field[2].int ?? 0 } ?? false
            } else if field.array?.count == 2 {
                holds = value == origin.text(field[1], name, from: serverNow)
            }
            try check(holds, "expected_response_headers", "\(name) is \(value ?? "missing"): \(field)")
        }
        for field in config["expected_response_headers_missing"].array ?? [] {
            let name = field.string ?? field[0].string ?? ""
            let value = response.headers[name]
            let holds = field.string == nil ? value?.contains(field[1].string ?? "") != true : value == nil
            try check(holds, "expected_response_headers_missing", "\(name) is \(value ?? "")")
        }
        if config["check_body"].bool != false, request.method != .head, ![204, 304].contains(response.status) {
            if config.object?["expected_response_text"] != nil {
                if let text = config["expected_response_text"].string {
                    try check(response.text == text, "expected_response_text", "the body is \(response.text)")
                }
            } else if config.object?["response_body"]?.isNull != true {
                let text = config["response_body"].string ?? id
                try check(response.text == text, "response_body", "the body is \(response.text), not \(text)")
            }
        }
        for interim in config["expected_interim_responses"].array ?? [] {
            let found = response.informational.contains { $0.status == interim[0].int }
            try check(found, "expected_interim_responses", "there was no \(interim[0])")
        }
        try checkOrigin(config, received, number, check)
    }

    private func checkOrigin(
        _ config: JSON, _ received: [CacheOrigin.Received], _ number: Int,
        _ check: (Bool, String, @autoclosure () -> String) throws -> Void
    ) throws {
        if let method = config["expected_method"].string {
            try check(received.first?.request.method.rawValue == method, "expected_method", "no \(method) arrived")
        }
        for field in config["expected_request_headers"].array ?? [] {
            let name = field.string ?? field[0].string ?? ""
            let value = received.first?.request.headers[name]
            let holds = field.string != nil ? value != nil : value == field[1].string
            try check(holds, "expected_request_headers", "\(name) is \(value ?? "missing")")
        }
        for field in config["expected_request_headers_missing"].array ?? [] {
            let name = field.string ?? field[0].string ?? ""
            let value = received.first?.request.headers[name]
            let holds = field.string != nil ? value == nil : value != field[1].string
            try check(holds, "expected_request_headers_missing", "\(name) is \(value ?? "")")
        }
    }

    private func request(_ number: Int, _ config: JSON, _ origin: CacheOrigin, at base: URL) throws -> HTTPRequest {
        var text = "\(base.absoluteString)/test/\(Self.pathComponent(id))"
        if let name = config["filename"].string { text += "/\(name)" }
        if let query = config["query_arg"].string { text += "?\(query)" }
        guard let url = URL(string: text), let method = try? HTTPMethod(config["request_method"].string ?? "GET")
        else { throw HTTPError(.invalidURL(text)) }
        var headers: HTTPHeaders = ["Req-Num": "\(number)"]
        if config["cache"].string == "no-cache" { headers["Cache-Control"] = "max-age=0" }
        for field in config["request_headers"].array ?? [] {
            let name = field[0].string ?? ""
            var value = origin.text(field[1], name)
            if config["magic_ims"].bool == true, let seconds = field[1].int {
                let modified = origin.sent(number - 1).first { $0.0 == "Last-Modified" }.flatMap {
                    HTTPDate.seconds($0.1)
                }
                let previous = config["request_headers"][0][1].int == seconds && modified != nil ? modified : nil
                value = previous.map { CacheOrigin.date(Double($0)) } ?? value
            }
            try headers.append(value, for: name)
        }
        let body = config["request_body"].string.map { HTTPBody(Data($0.utf8)) }
        return try HTTPRequest(method, url, headers: headers, body: body)
    }
}
