/// The state that an event loop shares with its transfers. Only the owner of the loop uses it.
///
/// Overlapping accesses are not checked at run time: libcurl makes one callback at a time, and the checks were a twentieth
/// of the cost of a small request.
final class LoopContext {
    let settings: EngineSettings
    let observer: any TransferObserver
    let notifier = StreamNotifier()
    @exclusivity(unchecked) var tick = LoopTick()
    @exclusivity(unchecked) var shutDownConnections = ShutDownConnections()
    /// The queues of transfers whose connection has turned out to be HTTP/2. The loop raises their limits after each call
    /// of libcurl.
    @exclusivity(unchecked) var multiplexedQueues: [OriginQueue] = []

    init(_ settings: EngineSettings, _ observer: any TransferObserver) {
        self.settings = settings
        self.observer = observer
    }

    /// Begins an iteration of the loop.
    func beginTick() {
        tick.begin()
        notifier.beginTick()
    }
}

/// Receives events of a transfer from any thread, and passes them to the event loop.
protocol TransferObserver: AnyObject, Sendable {
    /// The user's end of a stream can continue, or was closed.
    func streamChanged(_ id: UInt64)
    /// The file of a response is complete, or was removed.
    func fileWritten(_ id: UInt64)
}
