public import Dispatch
public import HalyardFoundation
import HalyardHTTP

// Downloads: the body goes to a file as it comes, and is never held whole.
//
// It is written under a temporary name beside its place, whose folders are made, and renamed into it when all of it is
// there and the provider's `validate` was content: a file that stood there before is replaced then, or not at all.
//
// With `resuming` what comes is kept beside it, when it breaks off, and the next download of the same URL to the same
// place asks for the rest.
//
// Where the body goes is the first reader's choice. A download of a request that others have started writes out what
// they hold in memory.
extension Request {
    /// Calls a handler with the file that holds the response's body.
    /// With `resuming` it goes on where an earlier request broke off.
    @discardableResult
    public func responseFile(
        at url: URL, resuming: Bool = false, _ handler: @escaping @MainActor (Response<URL>) -> Void
    ) -> Request {
        let reader = OutcomeReader(lane: .main) { exchange in
            guard !exchange.isStopped else { return }
            await handler(exchange.response(reading: .file(url)))
        }
        read(reader, to: .file(url, resuming: resuming))
        return self
    }

    /// Calls a handler on a queue with the file that holds the response's body.
    /// With `resuming` it goes on where an earlier request broke off.
    @discardableResult
    public func responseFile(
        at url: URL, resuming: Bool = false, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<URL>) -> Void
    ) -> Request {
        let reader = OutcomeReader(lane: .of(queue)) { exchange in
            guard !exchange.isStopped else { return }
            await queue.call(handler, with: exchange.response(reading: .file(url)))
        }
        read(reader, to: .file(url, resuming: resuming))
        return self
    }
}

extension ResponseSerializer where Value == URL {
    /// The file that the body went to; else the body is written there now.
    package static func file(_ url: URL) -> ResponseSerializer {
        ResponseSerializer(isQuick: true) { response, _ in
            if response.file == url { return url }
            // Accepted though it is no 2xx: of such a body only the start is kept, which is no file to give.
            try response.requireSuccess()
            let file = try FileSink(url)
            try response.bytes().withUnsafeBytes { try file.write($0) }
            try file.commit()
            return url
        }
    }
}
