public import Dispatch
public import HalyardFoundation
public import HalyardHTTP

// Handlers. They run on the main actor; `responseValue(_:on:_:)` calls one on a queue.
//
// A handler is called once, when the request ends, or soon if it has ended already. It is not called if the provider's
// `shouldContinue` returns `false`. Each function returns the same request, for chaining.
extension Request {
    /// Calls a handler with the response, without converting the body.
    @discardableResult
    public func response(_ handler: @escaping @MainActor (Response<Void>) -> Void) -> Request {
        responseValue(.void, handler)
    }

    /// Calls a handler with the bytes of the response, which are empty if there is no body.
    @discardableResult
    public func responseData(_ handler: @escaping @MainActor (Response<Data>) -> Void) -> Request {
        responseValue(.data, handler)
    }

    /// Calls a handler with the response as ``JSON`` of any kind, or with an ``HTTPError``: of kind `emptyResponse` if
    /// the body is empty, or of kind `decoding` if it is not JSON.
    @discardableResult
    public func responseJSON(_ handler: @escaping @MainActor (Response<JSON>) -> Void) -> Request {
        responseValue(.json, handler)
    }

    /// Calls a handler with the response as text. See ``HTTPResponse/text`` for the charset.
    @discardableResult
    public func responseText(_ handler: @escaping @MainActor (Response<String>) -> Void) -> Request {
        responseValue(.text, handler)
    }

    /// Calls a handler with the result of a serializer, on the main actor. The serializer runs off the main actor.
    ///
    /// ```swift
    /// let image = ResponseSerializer { response in try Image(response.data, type: response.mediaType) }
    /// api.request(.picture).responseValue(image) { response in show(response.value) }
    /// ```
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, .main(handler))
    }

    /// Calls a handler with the result of a serializer, on a queue.
    ///
    /// ```swift
    /// api.request(.me).responseValue(.data, on: .global()) { response in print(response.data.count) }
    /// ```
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, .queue(queue, handler))
    }

    /// Adds a handler of the value that a serializer makes. `destination` is where the body goes, if this handler
    /// starts the request. Defaults to memory.
    func addHandler<Value>(
        _ serializer: ResponseSerializer<Value>, to destination: BodyDestination? = nil,
        _ handler: Handler<Response<Value>>
    ) -> Request {
        let observer = OutcomeObserver.handler(handler.queueID) { outcome, next in
            guard !outcome.isStopped else { return next() }
            await handler.call(with: outcome.response(decoding: serializer), then: next)
        }
        addObserver(observer, to: destination)
        return self
    }
}

// Progress handlers, and handlers of the end. They do not start the request. Each function returns the same request, for
// chaining.
//
// While a progress handler runs, at most one report waits, and newer ones replace it. The last report is always
// delivered: before the response's handlers in the same place, and before an await returns, unless it is cancelled. A
// handler that is added later receives the last report.
extension Request {
    /// Calls a handler with the progress of the upload, on the main actor.
    @discardableResult
    public func uploadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.upload, .main(handler))
    }

    /// Calls a handler with the progress of the upload, on a queue.
    @discardableResult
    public func uploadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.upload, .queue(queue, handler))
    }

    /// Calls a handler with the progress of the download, on the main actor. The total is known if the server sends
    /// `Content-Length`.
    @discardableResult
    public func downloadProgress(_ handler: @escaping @MainActor (TransferProgress) -> Void) -> Request {
        addProgressHandler(.download, .main(handler))
    }

    /// Calls a handler with the progress of the download, on a queue.
    @discardableResult
    public func downloadProgress(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (TransferProgress) -> Void
    ) -> Request {
        addProgressHandler(.download, .queue(queue, handler))
    }

    /// Calls a handler when the request ends, on the main actor, whatever the outcome and even after a cancellation.
    /// The handler runs after the other handlers on the main actor.
    @discardableResult
    public func onEnd(_ handler: @escaping @MainActor () -> Void) -> Request {
        addEndHandler(.main { handler() })
    }

    /// Calls a handler when the request ends, on a queue, whatever the outcome.
    @discardableResult
    public func onEnd(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> Request {
        addEndHandler(.queue(queue) { handler() })
    }

    @discardableResult
    package func addProgressHandler(
        _ direction: TransferProgress.Direction, _ handler: Handler<TransferProgress>
    ) -> Request {
        addProgressHandler(direction, on: handler.queueID) { await handler.call(with: $0) }
        return self
    }

    private func addEndHandler(_ handler: Handler<Void>) -> Request {
        core.addEndHandler(.handler(handler.queueID) { _, next in await handler.call(with: (), then: next) })
        return self
    }
}

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
    /// Calls a handler with the file that contains the response's body, on the main actor. With `resuming`, the
    /// download continues where an earlier one was interrupted.
    @discardableResult
    public func responseFile(
        to url: URL, resuming: Bool = false, _ handler: @escaping @MainActor (Response<URL>) -> Void
    ) -> Request {
        addHandler(.file(url), to: .file(url, resuming: resuming), .main(handler))
    }

    /// Calls a handler with the file that contains the response's body, on a queue.
    @discardableResult
    public func responseFile(
        to url: URL, resuming: Bool = false, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<URL>) -> Void
    ) -> Request {
        addHandler(.file(url), to: .file(url, resuming: resuming), .queue(queue, handler))
    }
}

extension ResponseSerializer where Value == URL {
    /// Returns the file of the body. A body in memory is written to it first. `digest` is the SHA-256 that it must have.
    package static func file(_ url: URL, digest: Data? = nil) -> ResponseSerializer {
        ResponseSerializer(isQuick: true) { response, _ in
            if response.file == url {
                // The observer that has started the download may have asked for no digest.
                if let digest {
                    let path = url.path(percentEncoded: false)
                    try HTTPError.require(
                        digest, try response.downloadFile?.digest ?? SHA256Digest.hash(ofFileAt: path))
                }
                return url
            }
            // `validate` has accepted a status other than 2xx. Only the beginning of such a body is kept.
            try response.requireSuccess()
            let bytes = try response.bytes()
            let stated = response.status == 200 && !bytes.isEmpty ? response.headers.fileDigest : nil
            if let digest = digest ?? stated { try HTTPError.require(digest, SHA256Digest.hash(bytes)) }
            let file = try AtomicFile(url)
            try bytes.withUnsafeBytes { try file.write($0) }
            try file.commit()
            return url
        }
    }
}
