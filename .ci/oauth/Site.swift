import Foundation
import HalyardAsync
import HalyardOAuth

struct Difference: Error, CustomStringConvertible { let description: String }

func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String, line: Int = #line) throws {
    guard value == expected else {
        throw Difference(description: "line \(line): \(what): \(value), not \(expected)")
    }
}

/// Runs a part of the check, and says which one has failed.
func part(_ name: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch { throw Difference(description: "\(name): \(error)") }
}

/// Returns the code of the error of a login. `nil` if there is none. Throws other errors.
func refusal(_ body: () async throws -> Void) async throws -> OAuthError.Code? {
    do { try await body() } catch let error as OAuthError { return error.code }
    return nil
}

/// One of the servers, with a resource that needs a token.
struct Site: HTTPProvider {
    let baseURL: URL
    let resource: RoutePath
    var authentication = Authentication.none

    func get(_ path: RoutePath) async throws -> String { try await request(Route(path: path)).text() }

    func use(_ session: OAuthSession) async throws {
        var site = self
        site.authentication = .oauth(session)
        _ = try await site.get(resource)
    }

    /// Sends requests at once, and returns their errors.
    func useOften(_ session: OAuthSession) async -> [any Error] {
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { () -> (any Error)? in
                    do { try await use(session) } catch { return error }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
    }

    /// How many requests the server has received that had a refresh token.
    func refreshes() async throws -> Int { Int(try await get("/refreshes")) ?? -1 }
}

/// The browser of a user who allows or denies every login.
struct Browser: HTTPProvider {
    let baseURL: URL
    var allows = true
    let client = HTTPClient(configuration: .init(cookies: CookieJar()))

    /// Opens a page, and fills in forms until there are none.
    func open(_ url: URL) async throws {
        var page = try await request(Route(url: url)).response()
        while true {
            let text = String(decoding: page.data, as: UTF8.self)
            guard text.contains("<form") else { return }
            var fields: Parameters =
                allows ? ["allow": "Allow", "action": "accept", "sub": "user"] : ["action": "deny"]
            if text.contains("password") {
                fields.append("user", for: "username")
                fields.append("a password", for: "password")
            }
            for field in text.matches(of: /<input type="(?:hidden|text)" name="([^"]*)" value="([^"]*)"/) {
                fields.append(field.2.replacing("&amp;", with: "&"), for: String(field.1))
            }
            page = try await request(Route(url: page.url, method: .post, params: fields, encoding: .form)).response()
        }
    }
}

/// A clock with which all waits end at once.
struct HastyClock: Clock {
    let minimumResolution = Duration.zero
    var now: ContinuousClock.Instant { .now }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
    }
}
