import HalyardHTTP

/// The thread that accepts connections.
struct Listener: Sendable {
    let port: Int
    /// One end of a socket pair. Shutting it down tells the accepting thread to stop. When the thread closes the other
    /// end, the port is closed.
    private let handle: Socket

    /// Starts to listen. Each connection is served on a thread of its own.
    init(_ core: ServerCore) throws(Socket.Failure) {
        let (listener, port) = try Socket.listening()
        let pair: (here: Socket, there: Socket)
        do throws(Socket.Failure) { pair = try Socket.pair() } catch {
            listener.release()
            throw error
        }
        let isRunning = SystemThread.start(stackSize: Self.stackSize) {
            Self.accept(from: listener, until: pair.there, core: core)
        }
        guard isRunning else {
            for socket in [listener, pair.here, pair.there] { socket.release() }
            throw Socket.Failure("pthread_create")
        }
        self.port = port
        handle = pair.here
    }

    /// Stops listening. When it returns, connecting fails. Call it once.
    func stop() {
        handle.shutDownWriting()
        _ = handle.waitForInput()
        handle.release()
    }

    private static let stackSize = 256 * 1024

    private static func accept(from listener: Socket, until stop: Socket, core: ServerCore) {
        // The order matters: the end of `stop` says that the port is closed.
        defer { stop.release() }
        defer { listener.release() }
        while !listener.waitForInput(or: stop).isOtherReadable {
            switch listener.acceptNext() {
            case .accepted(let socket): serve(socket, core)
            case .noConnection: continue
            case .exhausted: _ = stop.waitForInput(timeout: .milliseconds(10))
            }
        }
    }

    private static func serve(_ socket: Socket, _ core: ServerCore) {
        guard let number = core.addConnection(socket) else { return socket.release() }
        let isRunning = SystemThread.start(stackSize: stackSize) {
            ServerConnection.serve(socket, number: number, core: core)
        }
        guard !isRunning else { return }
        core.removeConnection(number)
        socket.release()
    }
}
