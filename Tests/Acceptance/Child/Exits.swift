#if os(Linux)
    import ContractEngines
    import Dispatch
    import Foundation
    import HalyardCurl
    import HalyardEndpoints
    import HalyardHTTP

    /// A short program that sends requests over TLS, and a way to end it. It prints nothing: the exit status is the
    /// result.
    ///
    /// Each program sends 200 requests to `BASE/small`, 64 in flight. Some programs also read `BASE/large` as streams.
    enum Exits {
        struct API: HTTPProvider {
            var baseURL: URL
            var client = HTTPClient.shared
        }

        static func run(_ way: ExitWay, _ url: URL, roots: URL) async {
            var engine = EngineConfiguration()
            if url.scheme == "https" { engine.tls.roots = .file(roots) }
            let clients = (0..<(way == .dropped ? 8 : 1)).map { _ in
                way == .shared ? HTTPClient.shared : HTTPClient(engine: engine)
            }
            let apis = clients.map { API(baseURL: url, client: $0) }
            // In each process, the program ends after another of its 200 requests.
            let last = [.main, .shared].contains(way) ? Int.max : Int.random(in: 1...200)
            let (answered, reached) = (Lock(0), Latch())
            let count: @Sendable () -> Void = {
                let isLast = answered.withLock { answered in
                    answered += 1
                    return answered == last
                }
                if isLast { finish(way, clients) { reached.open() } }
            }
            if [.early, .task, .thread].contains(way) {
                for api in apis { Task { for try await _ in api.request(Route(path: "/large")).chunks {} } }
            }
            let workers = (0..<64).map { index in
                Task {
                    let api = apis[index % apis.count]
                    for _ in 0..<(200 / 64 + (index < 200 % 64 ? 1 : 0)) { await send(way, api, count) }
                }
            }
            if way == .early { return await reached.wait() }
            for worker in workers { await worker.value }
        }

        /// Sends one request, reads its response in the given way, and waits for its end.
        private static func send(_ way: ExitWay, _ api: API, _ count: @escaping @Sendable () -> Void) async {
            let request = api.request(Route(path: "/small"))
            switch way {
            case .callback:
                await withCheckedContinuation { continuation in
                    request.responseValue(.data, on: .global()) { _ in
                        count()
                        continuation.resume()
                    }
                }
            case .future:
                let future = request.future(of: Data.self)
                future.onComplete(on: .global()) { _ in count() }
                _ = try? await future.value
            default:
                _ = try? await request.data()
                count()
            }
        }

        private static func finish(_ way: ExitWay, _ clients: [HTTPClient], _ open: () -> Void) {
            switch way {
            case .main, .shared: break
            case .early: open()
            case .task, .callback, .future, .dropped: exit(0)
            case .thread: _ = SystemThread.start { exit(0) }
            case .shutdown:
                for client in clients { client.shutdown() }
                exit(0)
            }
        }
    }
#endif
