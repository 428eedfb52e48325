import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// A client is released with its last reference, and so are its engine and connections, after any way of reading.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct LifetimeFaultTests {
    enum Way: String, CaseIterable, Sendable {
        case awaited, callback, callbackWithProgress, lateProgress, future, futureWithProgress, mappedFuture, chunks,
            lines, progress, sequence, call
        case enqueuedCall, shared, download, fileHandler, started, clientAlone
    }

    /// How the request ends.
    enum End: String, CaseIterable, Sendable { case whole, failed, brokenOff, left, cancelled }

    private static let text = Endpoint(.get, "/x", returning: JSON.self)

    /// An interceptor that the client retains, watched by a weak reference.
    private final class Held: Interceptor {
        func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
            try await next.proceed(request)
        }
    }

    @Test(
        "a client is freed with its last reference after any way of reading and ending a request", .faults(41),
        arguments: Engine.wire, Way.allCases)
    func lettingGo(engine: Engine, way: Way) async throws {
        let folder = try TemporaryFolder()
        for end in End.allCases {
            let gate = Gate()
            let server = try ScriptedServer { connection in
                while connection.readHead() != nil {
                    switch end {
                    case .whole: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n[\n1, 2]")
                    case .failed: connection.write("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno")
                    case .brokenOff:
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[\n1, ")
                        return
                    case .left, .cancelled:
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n[\n1, ")
                        connection.write(Data(count: 100_000))
                        connection.drain()
                    }
                }
            }
            defer { gate.open() }
            weak var client: HTTPClient?
            weak var interceptor: Held?
            do {
                let held = Held()
                let made = engine.client(
                    .init(requestsInFlight: 2, cookies: CookieJar()), interceptors: [held], network: [held])
                (client, interceptor) = (made, held)
                let api = TestAPI(baseURL: server.baseURL, client: made)
                await read(api, way, end, server, folder.file("\(way)-\(end)"))
            }
            try await eventually("the client ends after \(way), \(end)") { client == nil && interceptor == nil }
            try await eventually("its connections end after \(way), \(end)") { server.connectionCount == 0 }
        }
        #expect(try folder.names.allSatisfy { $0.hasSuffix("-whole") })
    }

    /// Reads the response in one way to its end. If it does not end, reads only the start, or cancels.
    private func read(_ api: TestAPI, _ way: Way, _ end: End, _ server: ScriptedServer, _ file: URL) async {
        let route = Route(path: "/x")
        let request = api.request(route)
        let isEndless = end == .left || end == .cancelled
        switch way {
        case .awaited: await ending(isEndless, server) { _ = try await api.request(route).text() }
        case .chunks:
            await ending(end == .cancelled, server) {
                for try await _ in api.request(route).chunks where end == .left { break }
            }
        case .lines:
            await ending(end == .cancelled, server) {
                for try await _ in api.request(route).lines where end == .left { break }
            }
        case .sequence: await ending(isEndless, server) { for try await _ in request.sequence(.data) {} }
        case .call: await ending(isEndless, server) { _ = try await api.call(Self.text).value() }
        case .download: await ending(isEndless, server) { _ = try await api.request(route).download(to: file) }
        case .shared:
            async let other = Result(catching: { try await request.data() })
            await ending(isEndless, server) { _ = try await request.text() }
            if isEndless { request.cancel() }
            _ = await other
        case .progress:
            await ending(isEndless, server) {
                for await _ in request.start().progress(.download) where end == .left { break }
            }
            request.cancel()
        case .clientAlone:
            await ending(isEndless, server) {
                _ = try await api.client.send(HTTPRequest(.get, api.baseURL.appending(path: "x")))
            }
        case .callback, .callbackWithProgress, .lateProgress, .fileHandler, .enqueuedCall, .future, .futureWithProgress,
            .mappedFuture, .started:
            await handled(api, way, isEndless, server, file)
        }
    }

    private func handled(_ api: TestAPI, _ way: Way, _ isEndless: Bool, _ server: ScriptedServer, _ file: URL) async {
        let request = api.request(Route(path: "/x"))
        let called = Counter()
        var cancel: () -> Void = { request.cancel() }
        switch way {
        case .callback, .lateProgress: request.responseText { _ in called.increment() }
        case .callbackWithProgress:
            request.downloadProgress { _ in _ = request }.onEnd { called.increment() }.responseText { _ in _ = request }
        case .fileHandler: request.responseFile(to: file) { _ in called.increment() }
        case .started: request.onEnd { called.increment() }.start()
        case .enqueuedCall:
            let call = api.call(Self.text)
            call.enqueue { _ in
                called.increment()
                _ = call
            }
            cancel = { call.cancel() }
        case .futureWithProgress:
            let future = request.future(.text)
            future.downloadProgress { _ in _ = future }.onComplete(on: .global()) { _ in
                called.increment()
                _ = future
            }
            cancel = { future.cancel() }
        default:
            let future =
                way == .future ? request.future(.text) : request.future(.text).flatMap { _ in request.future(.text) }
            future.onComplete(on: .global()) { _ in called.increment() }
            cancel = { future.cancel() }
        }
        if isEndless {
            try? await eventually("it is on its way") { server.connectionCount > 0 }
            cancel()
        }
        try? await eventually("it ends") { called.count == 1 }
        if way == .lateProgress { request.uploadProgress { _ in _ = request }.downloadProgress { _ in _ = request } }
    }

    /// Waits for the end of the request, or cancels it after it has started.
    private func ending(
        _ isEndless: Bool, _ server: ScriptedServer, _ read: @escaping @Sendable () async throws -> Void
    ) async {
        let task = Task { try await read() }
        if isEndless {
            try? await eventually("it is on its way") { server.connectionCount > 0 }
            task.cancel()
        }
        _ = await task.result
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
