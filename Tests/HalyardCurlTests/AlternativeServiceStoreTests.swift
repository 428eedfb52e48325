import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardCurl

/// Offers of HTTP/3 that outlive an engine. `HTTP3Tests` uses them over a connection.
struct AlternativeServiceStoreTests {
    private let temporary: TemporaryFolder
    private let file: URL
    private let origin: Origin

    init() throws {
        temporary = try TemporaryFolder()
        file = temporary.file("alt-svc.json")
        origin = try Origin(ofURL: "https://a.example")
    }

    private func learn(_ field: String, in store: AlternativeServiceStore) async throws {
        try store.learn(#require((["Alt-Svc": field] as HTTPHeaders).alternativeServices), of: origin)
        await store.written()
    }

    private func stored(_ url: String = "https://a.example") throws -> Duration? {
        try AlternativeServiceStore(file: file).lifetime(of: Origin(ofURL: url))
    }

    private func write(_ origin: String, _ expires: String) throws {
        try Data(
            """
            {"format": "halyard-alt-svc", "version": 1, "origins": [{"origin": "\(origin)", "expires": \(expires)}]}
            """.utf8
        ).write(to: file)
    }

    @Test func `a file keeps an offer for its time and origin, and for its user alone`() async throws {
        try await learn("h3=\":443\"; ma=3600", in: AlternativeServiceStore(file: file))
        let lifetime = try #require(try stored())
        #expect(lifetime > .seconds(3000) && lifetime <= .seconds(3600))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for other in ["http://a.example", "https://a.example:8443", "https://b.example"] {
            #expect(try stored(other) == nil)
        }
    }

    @Test(arguments: ["clear", "h2=\":443\"", "h3=\":8443\"", "h3=\":443\"; ma=0"])
    func `a server takes its offer back`(field: String) async throws {
        let store = try AlternativeServiceStore(file: file)
        try await learn("h3=\":443\"", in: store)
        #expect(try stored() != nil)
        try await learn(field, in: store)
        #expect(try stored() == nil && store.lifetime(of: origin) == nil)
    }

    @Test func `all offers are removed at once`() async throws {
        let store = try AlternativeServiceStore(file: file)
        try await learn("h3=\":443\"", in: store)
        store.removeAll()
        #expect(try stored() == nil && store.lifetime(of: origin) == nil)
    }

    @Test func `the time in a file may be in the past, or further away than a duration can be`() throws {
        try write("https://a.example", "1")
        #expect(try stored() == nil)
        try write("https://a.example", "1e300")
        #expect(try stored() == .seconds(1 << 31))
    }

    @Test(arguments: ["http://a.example", "a.example", ""])
    func `a file with another origin than one of https is refused, and stays`(origin: String) throws {
        try write(origin, "1")
        let content = try Data(contentsOf: file)
        #expect(throws: HTTPError(.unreadableFile(file.path()))) { try AlternativeServiceStore(file: file) }
        #expect(try Data(contentsOf: file) == content)
    }

    @Test func `a failed write is reported, and the offer stays in memory`() async throws {
        let folder = temporary.file("folder")
        let store = try AlternativeServiceStore(file: folder.appending(path: "alt-svc.json"))
        try Data().write(to: folder)
        try await learn("h3=\":443\"", in: store)
        #expect(store.writeError != nil && store.lifetime(of: origin) != nil)
    }

    /// Whether a new engine tries HTTP/3 for an origin, now or some hours later.
    private func isTried(
        _ configuration: EngineConfiguration, _ url: String = "https://a.example", hours: Int = 0
    ) throws -> Bool {
        var limiter = ConnectionLimiter(configuration, connectionLimit: 9)
        let request = try HTTPRequest(.get, #require(URL(string: url)))
        let queue = limiter.admit(PendingTransfer(id: 0, request, TransferContext()), now: .now)
        return try #require(queue).http3.isTried(.now.advanced(milliseconds: hours * 3_600_000))
    }

    @Test func `an engine tries HTTP/3 at once for the origins of its store`() async throws {
        let store = AlternativeServiceStore()
        try await learn("h3=\":443\"", in: store)
        let automatic = EngineConfiguration(alternativeServices: store)
        #expect(try isTried(automatic, hours: 23) && !isTried(automatic, hours: 24))
        #expect(try !isTried(automatic, "https://b.example"))
        #expect(try !isTried(EngineConfiguration()))
        #expect(try !isTried(EngineConfiguration(alternativeServices: AlternativeServiceStore())))
        let assuming = EngineConfiguration(httpVersion: .http3, alternativeServices: store)
        #expect(try isTried(assuming, hours: 24) && isTried(assuming, "https://b.example"))
    }

    @Test func `the offer that ends first is removed when there are too many`() {
        let now = Date()
        var offers = HTTP3Offers()
        for number in 0...HTTP3Offer.limit {
            offers.insert(HTTP3Offer(name: "\(number)", expires: now.addingTimeInterval(1000 + Double(number))), now)
        }
        #expect(offers.all.count == HTTP3Offer.limit && offers.record(named: "0", now) == nil)
    }

    @Test func `an offer that is renewed is worth a write after a tenth of its time`() {
        let now = Date()
        var offers = HTTP3Offers()
        for (second, revision) in [(0.0, UInt64(1)), (9, 1), (11, 2), (20, 2)] {
            let time = now.addingTimeInterval(second)
            offers.insert(HTTP3Offer(name: "a", expires: time.addingTimeInterval(100)), time)
            #expect(offers.revision == revision)
        }
    }
}
