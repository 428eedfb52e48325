import Foundation
import TestSupport
import Testing

@testable import Halyard

/// A jar: its cookies, its file, and many concurrent tasks.
struct CookieJarTests {
    private let temporary: TemporaryFolder
    private let time = Lock(Date(timeIntervalSince1970: 1_700_000_000))
    /// A folder that does not exist at first.
    private var folder: URL { temporary.file("jar") }
    private var file: URL { folder.appending(path: "cookies.json") }

    init() throws { temporary = try TemporaryFolder() }

    private func jar() throws -> CookieJar {
        try CookieJar(file: file, .rules) { [time] in time.withLock { $0 } }
    }

    private func take(_ jar: CookieJar, _ fields: String..., from url: String = "https://x.com/") async throws {
        var headers = HTTPHeaders()
        for field in fields { try headers.append(field, for: "Set-Cookie") }
        try await jar.store(cookiesOf: HTTPResponse(status: 200, headers: headers, url: #require(URL(string: url))))
    }

    private func header(_ jar: CookieJar, _ url: String = "https://x.com/", own: HTTPHeaders = [:]) throws -> String? {
        try jar.adding(to: HTTPRequest(.get, #require(URL(string: url)), headers: own)).headers["Cookie"]
    }

    @Test func `cookies can be set, read and removed, and the session can be ended`() throws {
        let jar = CookieJar(suffixes: .rules)
        try jar.set(Cookie("a", "1", domain: "x.com"))
        try jar.set(Cookie("b", "2", domain: "x.com", isHostOnly: false, expires: .distantFuture))
        try jar.set(Cookie("c", "3", domain: "y.com", isSecure: true))
        #expect(jar.cookies.map(\.name) == ["a", "b", "c"])
        #expect(try jar.cookies(for: #require(URL(string: "http://www.x.com/p"))).map(\.name) == ["b"])
        #expect(try jar.cookies(for: #require(URL(string: "file:///etc"))).isEmpty)
        jar.remove(try Cookie("a", "another", domain: "x.com"))
        #expect(jar.cookies.map(\.name) == ["b", "c"])
        jar.endSession()
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
        try jar.save()
        #expect(jar.writeError == nil)
    }

    @Test func `a request gets the cookies of its URL unless it has a Cookie header`() async throws {
        let jar = CookieJar(suffixes: .rules)
        try await take(jar, "a=1", "b=2; Path=/p", "\"q\"=\"x y\"")
        #expect(try header(jar, "https://x.com/p") == "b=2; a=1; \"q\"=\"x y\"")
        #expect(try header(jar, "https://y.com/") == nil)
        #expect(try header(jar, own: ["cookie": "mine=1"]) == "mine=1")
    }

    @Test func `a printed jar reveals no cookie value`() throws {
        let cookie = try Cookie("id", "s3cret", domain: "x.com", isSecure: true)
        var dumped = ""
        dump(cookie, to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), dumped, String(reflecting: [cookie])] {
            #expect(text.contains("id=***; Domain=x.com; Path=/; Secure") && !text.contains("s3cret"), "\(text)")
        }
        let jar = CookieJar()
        try jar.set(cookie)
        dump(jar, to: &dumped)
        #expect(!dumped.contains("s3cret") && !"\(jar)".contains("s3cret"))
    }

    @Test func `a file contains the persistent cookies, and only its user may read it`() async throws {
        let first = try jar()
        try await take(
            first, "a=1; Max-Age=100; Secure; HttpOnly; SameSite=Lax; Domain=x.com; Path=/p", "b=é; Max-Age=50", "c=3")
        #expect(first.writeError == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path())[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try jar().cookies == first.cookies.filter { $0.expires != nil } && first.cookies.count == 3)
        time.withLock { $0 += 60 }
        #expect(try jar().cookies.map(\.name) == ["a"])
        first.removeAll { $0.name == "a" }
        #expect(try jar().cookies.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["cookies.json"])
    }

    @Test func `the file is written for changes, except session cookies and slightly moved expirations`() async throws {
        let jar = try jar()
        try await take(jar, "a=1; Max-Age=1000", "s=1")
        func changes(_ action: () async throws -> Void) async throws -> Bool {
            try FileManager.default.removeItem(at: file)
            try await action()
            defer { try? jar.save() }
            return FileManager.default.fileExists(atPath: file.path())
        }
        time.withLock { $0 += 30 }
        #expect(try await !changes { try await take(jar, "a=1; Max-Age=1000", "s=2") })
        #expect(try await !changes { jar.endSession() })
        #expect(try await !changes { _ = try header(jar) })
        time.withLock { $0 += 60 }
        #expect(try await changes { try await take(jar, "a=1; Max-Age=1000") })
        #expect(try await changes { try await take(jar, "a=2; Max-Age=1000") })
        #expect(try await changes { try await take(jar, "a=2; Max-Age=1000; Secure") })
        #expect(try await changes { try await take(jar, "a=2") })
    }

    @Test func `a leftover temporary file is not read, and is removed unless it is in use`()
        async throws
    {
        try await take(try jar(), "a=1; Max-Age=100")
        // This file simulates another process that is writing. It is created first, because it removes old files
        // itself.
        let writing = try AtomicFile(file, prefix: ".cookies.json.halyard-")
        let old = ".cookies.json.halyard-\(UUID().uuidString)"
        let other = ".other.json.halyard-\(UUID().uuidString)"
        for name in [old, other] { try Data(#"{"cookies":[{"na"#.utf8).write(to: folder.appending(path: name)) }
        let jar = try jar()
        #expect(jar.cookies.map(\.name) == ["a"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        #expect(names.count == 3 && !names.contains(old) && names.contains(other))
        try await take(jar, "b=1; Max-Age=100")
        #expect(try self.jar().cookies.map(\.name) == ["a", "b"])
        withExtendedLifetime(writing) {}
    }

    @Test(
        "a file that is not a complete jar fails and is not changed",
        arguments: [
            "hello", "{}", #"{"format":"halyard-cookies","version":1,"cookies":[{"na"#,
            #"{"format":"other","version":1,"cookies":[]}"#, #"{"format":"halyard-cookies","version":2,"cookies":[]}"#,
            #"""
            {"format":"halyard-cookies","version":1,"cookies":[{"name":"s3cret","value":"s3cret\r\nX: y","domain":"x.com",
            "path":"/","isHostOnly":true,"isSecure":false,"isHTTPOnly":false,"expires":9999999999}]}
            """#,
        ])
    func foreign(text: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        let error = #expect(throws: HTTPError.self) { try jar() }
        #expect(error?.kind == .unreadableFile(file.path()) && error?.suggestion?.contains("not overwritten") == true)
        #expect(!String(reflecting: error).contains("s3cret"))
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }

    @Test func `an empty file is an empty jar; a folder or a file of terabytes fails`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data().write(to: file)
        #expect(try jar().cookies.isEmpty)
        #expect(throws: HTTPError(.unreadableFile(folder.path()))) { try CookieJar(file: folder) }
        try FileHandle(forWritingTo: file).truncate(atOffset: 4 << 40)
        #expect(throws: HTTPError(.unreadableFile(file.path()))) { try jar() }
        let web = try #require(URL(string: "https://u:w@x.com/c"))
        #expect(throws: HTTPError.self) { try CookieJar(file: web) }
    }

    @Test func `a file that cannot be written is reported, and no cookie is lost`() async throws {
        let jar = try jar()
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        try Data().write(to: file.appending(path: "full"))
        try await take(jar, "a=1; Max-Age=100")
        #expect(jar.writeError?.kind == .unwritableFile(file.path()) && jar.cookies.count == 1)
        #expect(throws: HTTPError(.unwritableFile(file.path()))) { try jar.save() }
        try FileManager.default.removeItem(at: file)
        try jar.save()
        #expect(try jar.writeError == nil && self.jar().cookies.map(\.name) == ["a"])
    }

    @Test(.timeLimit(.minutes(2))) func `no cookie is lost when a thousand tasks run concurrently`() async throws {
        let jar = try jar()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    try await take(jar, "c=\(number); Max-Age=100", from: "https://h\(number).example.com/")
                    #expect(try header(jar, "https://h\(number).example.com/") == "c=\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(jar.cookies.count == 1000 && jar.writeError == nil)
        #expect(try Set(self.jar().cookies) == Set(jar.cookies))
    }

    @Test("user code is not called while the lock is held", .timeLimit(.minutes(1)))
    func lock() async throws {
        let holder = Lock<CookieJar?>(nil)
        let jar = CookieJar(suffixes: PublicSuffixes { _ in holder.withLock { $0 }?.cookies.isEmpty == false })
        holder.withLock { $0 = jar }
        let url = try #require(URL(string: "https://x.com/"))
        await jar.store(cookiesOf: HTTPResponse(status: 200, headers: ["Set-Cookie": "a=1; Domain=x.com"], url: url))
        #expect(jar.cookies.map(\.name) == ["a"])
        jar.removeAll { _ in jar.cookies.count == 1 }
        #expect(jar.cookies.isEmpty)
        holder.withLock { $0 = nil }
    }
}
