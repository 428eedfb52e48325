import HalyardHTTP

/// The unused easy handles of one event loop, which have the engine's settings.
struct EasyHandlePool {
    private static let capacity = 256

    private let settings: EngineSettings
    private var handles: [EasyHandle]

    init(_ settings: EngineSettings, first: EasyHandle) {
        self.settings = settings
        handles = [first]
    }

    /// Takes a handle from the pool, or makes one. Throws ``HTTPError`` of kind `configuration` for a setting that this
    /// libcurl does not support, or `engineUnavailable` if there is not enough memory.
    mutating func take(for origin: Origin, sockets: SocketCallbacks) throws(HTTPError) -> EasyHandle {
        // The fold guard does not see the header fields of a proxy's response to CONNECT. So the handle must be new.
        let mustBeNew = CurlLibrary.keepsStaleHeaderPointer && settings.mayTunnel(to: origin)
        let spare = mustBeNew ? nil : handles.popLast()
        guard let easy = spare ?? EasyHandle() else { throw CurlLibrary.unavailable(because: "out of memory") }
        let isReady = spare != nil && !easy.needsReset
        if easy.needsReset { easy.reset() }
        if !isReady { easy.isSingleUse = mustBeNew }
        do throws(HTTPError) {
            if !isReady { try settings.apply(to: easy, sockets: sockets) }
            try settings.pin(easy, to: origin)
        } catch {
            easy.free()
            throw error
        }
        return easy
    }

    /// Takes a handle back after its transfer, and frees it if it cannot be used again. `isClean` says whether libcurl
    /// completed the transfer without an error. Otherwise the handle may keep state of it.
    mutating func put(_ easy: EasyHandle, isClean: Bool) {
        if isClean && easy.isReusable && handles.count < Self.capacity { handles.append(easy) } else { easy.free() }
    }

    func free() { for easy in handles { easy.free() } }
}
