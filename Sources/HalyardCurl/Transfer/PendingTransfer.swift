import Dispatch
import HalyardHTTP

/// A request as it crosses to the loop, with room for what comes back.
///
/// Who sends it makes all of it, and nearly always lets go of it last: where one thread takes memory and another gives it
/// back both wait for one lock of the allocator, which was a tenth of a small request.
final class Start: Sendable {
    let id: UInt64
    let request: HTTPRequest
    let context: TransferContext
    /// What the body's streams are poured into, one for each.
    let pipes: [BytePipe]
    /// Who pours; cancelled when the transfer ends.
    let pouring: Task<Void, Never>?
    private let end = Latch()
    /// Beside a latch and not in an `Answer`, whose generic type would be looked up several times for each request.
    /// Unsafe, and sound: it is written under the latch's lock, and read by the one who waited for that.
    private nonisolated(unsafe) var outcome: Result<HTTPResponse, any Error>?
    /// Unsafe, and sound: it is made before the request is posted, and touched by the loop alone from then on.
    private nonisolated(unsafe) var room: ResponseRoom?

    init(
        id: UInt64, _ request: HTTPRequest, _ context: TransferContext, pipes: [BytePipe],
        pouring: Task<Void, Never>?
    ) {
        self.id = id
        self.request = request
        self.context = context
        self.pipes = pipes
        self.pouring = pouring
        room = ResponseRoom(for: request)
    }

    /// Whether to begin it may take long: a file is read as it is sent.
    var mayBlock: Bool { request.body?.segments.contains(where: \.isFile) ?? false }

    /// Answers a request that no transfer was made of.
    func refuse(_ error: any Error) {
        endStreams()
        answer(.failure(error))
    }

    /// Ends the body's streams. They are told elsewhere: what a user's sequence does when it is cancelled may wait for
    /// another request of this loop, and there are few threads for tasks.
    func endStreams() {
        for pipe in pipes { pipe.close() }
        guard let pouring else { return }
        DispatchQueue.global().async { pouring.cancel() }
    }

    /// Says how it ended: the first time counts. The loop answers every request before it goes.
    func answer(_ outcome: Result<HTTPResponse, any Error>) {
        end.open { self.outcome = outcome }
    }

    /// Waits for the answer, and takes it: a stream is let go by its reader, and nobody else may hold it.
    nonisolated(nonsending) func response() async throws -> HTTPResponse {
        await end.wait()
        guard let outcome = outcome.take() else { throw CancellationError() }  // nobody waits twice
        return try outcome.get()
    }

    /// Takes the room for the response.
    func takeRoom() -> ResponseRoom { room.take() ?? ResponseRoom(for: request) }
}

/// What a response is put in.
struct ResponseRoom {
    var response: HTTPResponse
    var headers = HTTPHeaders(reserving: 8)

    init(for request: HTTPRequest) { response = HTTPResponse(status: 0, from: request.address) }
}

extension HTTPBody.Segment {
    fileprivate var isFile: Bool { if case .file = self { true } else { false } }
}
