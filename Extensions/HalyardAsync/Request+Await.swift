import Dispatch
public import HalyardCodable
public import HalyardFoundation
import HalyardHTTP

// Reading a response with `await`. ``Request/response()`` describes the errors of all of them.
extension Request {
    /// Returns the bytes of the response, which are empty if it has no body. Throws the same errors as ``response()``.
    public consuming func data() async throws -> Data { try await outcome().decode(.data) }

    /// Returns the response as text. See ``HTTPResponse/text`` for the character set.
    public consuming func text() async throws -> String { try await outcome().decode(.text) }

    /// Returns the response as ``JSON``. If the text is not JSON, throws an ``HTTPError`` of kind `decoding`.
    public consuming func json() async throws -> JSON {
        try await outcome().decode(.json)
    }

    /// Decodes the response from JSON. Decoding does not run on the main actor, and the type need not be `Sendable`.
    ///
    /// ```swift
    /// let user: User = try await api.request(.me).object()
    /// let other = try await api.request(.user("2")).object(User.self)
    /// let all = try await api.request(.all).object([User].self, at: "data.items")
    /// ```
    ///
    /// - Parameter keyPath: The path of the value in the JSON, separated by dots. Defaults to the whole JSON.
    /// - Throws: ``HTTPError`` of kind `decoding` or `emptyResponse`, or an error of ``response()``.
    public consuming func object<T: Decodable & SendableMetatype>(
        _ type: T.Type = T.self, at keyPath: String = ""
    ) async throws -> sending T {
        let outcome = await outcome()
        _ = try outcome.get()
        do {
            return try await outcome.decode { response, codec in
                try response.object(type, at: keyPath, by: codec)
            }
        } catch {
            throw outcome.logged(error)
        }
    }

    /// Converts the response with a serializer.
    ///
    /// - Throws: An error of the serializer, ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    public consuming func value<Value>(_ serializer: ResponseSerializer<Value>) async throws -> Value {
        try await outcome().decode(serializer)
    }

    /// Waits for a successful response and ignores its body. Throws the same errors as ``response()``.
    public consuming func void() async throws { _ = try await validated() }

    /// Returns the response itself, with its status, headers and body.
    ///
    /// - Throws: ``HTTPError``, which has the kind `stopped` if `shouldContinue` returns `false`, or an error of the
    ///   provider's hooks. Cancelling the task throws `CancellationError` at once, and ends the transfer if the request
    ///   has no other observers. After `request.cancel()`, the error is ``HTTPError/cancelled``.
    public consuming func response() async throws -> HTTPResponse { try await validated() }

    private nonisolated(nonsending) consuming func validated() async throws -> HTTPResponse {
        try await outcome().get()
    }
}

extension Request {
    /// Downloads the response's body to a file.
    ///
    /// The body is written to a temporary file in the same directory, which is created if necessary. Once the body is
    /// complete and the provider's `validate` has succeeded, the temporary file is renamed. Only then is an existing
    /// file replaced.
    ///
    /// With `resuming`, an incomplete body is kept in the same directory. If the server sent a strong validator, the
    /// next download of the same URL to the same file requests the rest with `Range` and `If-Range`. The response is
    /// then a 206.
    ///
    /// ```swift
    /// let file = try await api.request(.dump).download(to: place, resuming: true)
    /// ```
    ///
    /// - Parameters:
    ///   - resuming: Whether an incomplete body is kept, and completed by the next download. Defaults to `false`.
    ///   - sha256: The SHA-256 that the file must have, as 64 hexadecimal digits. Defaults to the `Repr-Digest` of the
    ///     response (RFC 9530), if the server states one and the body is not compressed. It is computed while the bytes
    ///     arrive. The part of a resumed download that is on the disk is read once for it.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`, also if another request is still resuming the same file after
    ///   a second; with `resuming`, of kind `invalidResponse` if the body does not fit; of kind `digestMismatch`, with
    ///   nothing of the body left on the disk; of kind `configuration` for a `sha256` that is none, before anything is
    ///   sent; or `CancellationError`, or an error of the provider's hooks.
    public consuming func download(to url: URL, resuming: Bool = false, sha256: String? = nil) async throws -> URL {
        let digest = try sha256.map { text throws(HTTPError) in try SHA256Digest.parse(text) }
        let outcome = await outcome(to: .file(url, resuming: resuming, digest: digest))
        return try await outcome.decode(.file(url, digest: digest))
    }

    /// Downloads the response's body to a directory, under a safe form of the name that the server suggests. See
    /// `HTTPResponse.suggestedFilename`.
    ///
    /// An existing file is not replaced: the new one is named `name 2.txt` instead, and so on. Without a suggested
    /// name, the file is named `download`.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile` or another kind, `CancellationError`, or an error of the
    ///   provider's hooks. If only renaming failed, the file is complete, and the error's suggestion contains its path.
    public consuming func download(into folder: URL) async throws -> URL {
        let place = folder.appending(path: ".halyard-\(UUID.random().uuidString)")
        let outcome = await outcome(to: .file(place))
        _ = try await outcome.decode(.file(place))
        let name = try outcome.get().suggestedFilename ?? "download"
        // A slow disk must not block a thread of the cooperative pool.
        let moved = OneShot<Result<URL, HTTPError>>()
        DispatchQueue.global().async {
            moved.fulfill(Result { () throws(HTTPError) in try place.moved(into: folder, as: name) })
        }
        // The response keeps the file locked, so that another download does not remove it as an abandoned file.
        let result = await moved.take()
        defer { withExtendedLifetime(outcome) {} }
        switch result {
        case .success(let file): return file
        case .failure(let error): throw outcome.annotated(error)
        }
    }
}

extension Request {
    /// Returns an asynchronous sequence of one value, the result of a serializer, for code that expects a sequence, as
    /// with Rx or Combine.
    ///
    /// ```swift
    /// for try await user in api.request(.me).sequence(.object(User.self)) { show(user) }
    /// ```
    ///
    /// The sequence is cold: iterating over it starts the request. Every loop over the same request receives the same
    /// value. You can create a Combine publisher from a future:
    ///
    /// ```swift
    /// Deferred { Combine.Future { promise in
    ///     api.request(.me).responseValue(.object(User.self), on: .global()) { promise($0.result) }
    /// } }
    /// ```
    public func sequence<Value>(_ serializer: ResponseSerializer<Value>) -> ResponseSequence<Value> {
        ResponseSequence { _ in ValueSource(request: self, serializer: serializer) }
    }
}

private struct ValueSource<Element: Sendable>: ElementSource {
    var request: Request?
    let serializer: ResponseSerializer<Element>
    var value: Element?

    mutating func next() -> Element? { value.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        guard let request = request.take() else { return false }
        value = try await request.value(serializer)
        return true
    }
}

extension Request {
    /// Returns the progress of the request's or the response's body until the request ends. It does not start the
    /// request.
    ///
    /// ```swift
    /// let request = api.request(.picture)
    /// async let file = request.download(to: place)
    /// for await progress in request.progress(.download) { print(progress.fraction ?? 0) }
    /// try await file
    /// ```
    ///
    /// A loop that is slower than the network receives the newest report, and always the last one. Leaving the loop
    /// does not cancel the request. The loop is not an observer, so the request is cancelled if all its observers are.
    /// The sequence also ends if the request is released without having been started.
    public func progress(_ direction: TransferProgress.Direction) -> AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd(continuation)
        addProgressHandler(direction) { end.continuation.yield($0) }
        return stream
    }
}

/// Ends a stream when the progress handler that refers to it is released: after its last report, or with a request that
/// is released without a start.
private final class StreamEnd: Sendable {
    let continuation: AsyncStream<TransferProgress>.Continuation

    init(_ continuation: AsyncStream<TransferProgress>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}
