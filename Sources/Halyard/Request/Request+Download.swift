public import Dispatch
public import HalyardFoundation
import HalyardHTTP

// Downloads. The body is written to a file as it arrives, and is never in memory as a whole.
//
// It is written to a temporary file in the same folder, which is made if it is missing. When it is complete and the
// provider's `validate` has accepted the response, the file is renamed. Only then it replaces an earlier file.
//
// With `resuming`, an incomplete body is kept beside the file, and the next download of the same URL to the same file
// requests the rest.
//
// The first observer decides where the body goes. A download as a later observer writes the body from memory to the
// file.
extension Request {
    /// Calls a handler with the file of the response's body, on the main actor.
    ///
    /// - Parameter resuming: Whether the download continues where an earlier one was interrupted. Defaults to `false`.
    @discardableResult
    public func responseFile(
        to url: URL, resuming: Bool = false, _ handler: @escaping @MainActor (Response<URL>) -> Void
    ) -> Request {
        addHandler(.file(url), to: .file(url, resuming: resuming), .main(handler))
    }

    /// Calls a handler with the file of the response's body, on a queue.
    @discardableResult
    public func responseFile(
        to url: URL, resuming: Bool = false, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<URL>) -> Void
    ) -> Request {
        addHandler(.file(url), to: .file(url, resuming: resuming), .queue(queue, handler))
    }
}

extension ResponseSerializer where Value == URL {
    /// Returns the file of the body. A body in memory is written to it first.
    package static func file(_ url: URL) -> ResponseSerializer {
        ResponseSerializer(isQuick: true) { response, _ in
            if response.file == url { return url }
            // `validate` has accepted a status other than 2xx. Only the beginning of such a body is kept.
            try response.requireSuccess()
            let file = try AtomicFile(url)
            try response.bytes().withUnsafeBytes { try file.write($0) }
            try file.commit()
            return url
        }
    }
}
