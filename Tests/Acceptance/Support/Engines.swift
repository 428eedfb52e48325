import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport

// The faults are tested with every engine that uses a network. A shortfall of URLSession on Linux is a known issue
// (`isCorelibs`), and what would crash the process runs in a child process.
extension Engine {
    /// A client with a new engine.
    func client(
        _ configuration: HTTPClient.Configuration = .init(), engine: EngineConfiguration = .init(idleTimeout: nil),
        interceptors: [any Interceptor] = [], network: [any Interceptor] = [], log: EventLog = .silent,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> HTTPClient {
        HTTPClient(
            transport: make(engine), interceptors: interceptors, networkInterceptors: network,
            configuration: configuration, log: log, clock: clock)
    }
}

extension TestAPI {
    init(_ server: LoopbackServer, _ path: String = "/api", over engine: Engine) {
        self = TestAPI(server, path).with(\.client, engine.client())
    }

    init(_ server: ScriptedServer, over engine: Engine) {
        self.init(baseURL: server.baseURL, client: engine.client())
    }
}
