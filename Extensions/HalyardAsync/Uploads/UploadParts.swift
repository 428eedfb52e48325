public import HalyardFoundation
public import HalyardHTTP

/// A part of a file that is uploaded in several requests.
public struct UploadPart: Sendable, Hashable {
    /// The number of the part, from 1.
    public let number: Int
    /// The number of parts of the file.
    public let count: Int
    /// The bytes of the file.
    public let bytes: Range<Int64>

    /// Returns the parts of a file of `length` bytes, at least one. All but the last have `size` bytes.
    static func all(of length: Int64, size: Int64) -> [UploadPart] {
        let starts = length == 0 ? [0] : Array(stride(from: 0, to: length, by: Int(clamping: size)))
        return starts.enumerated().map { index, start in
            UploadPart(number: index + 1, count: starts.count, bytes: start..<start + min(size, length - start))
        }
    }
}

extension HTTPProvider {
    /// Uploads a file in parts with a request each, several of them at once, as for the multipart uploads of S3.
    ///
    /// ```swift
    /// let parts = try await api.upload(file, inPartsOf: 8 << 20) { part in
    ///     Route(path: "/big.iso", method: .put, params: ["partNumber": part.number, "uploadId": id], encoding: .url)
    /// }
    /// let tags = parts.map { (number: $0.part.number, tag: $0.response.headers["ETag"]) }
    /// ```
    ///
    /// Each part is the body of its route, and is read from the file while it is sent. A part that fails is sent again
    /// as the route's or the client's ``RetryPolicy`` says. Otherwise its error ends the other requests and the call, and
    /// so does a change of the file.
    ///
    /// - Parameters:
    ///   - size: The number of bytes of all parts but the last, at least 1. An empty file has one part.
    ///   - limit: The maximum number of requests at once, at least 1. Defaults to 4.
    ///   - onProgress: Receives the progress of the whole file, in order, on any thread. It never decreases.
    ///   - route: Returns the request of a part; `nil` if the server has it already, so that it is not sent. The calls are
    ///     in the order of the parts, one at a time.
    /// - Returns: The responses to the parts that were sent, in the order of the file.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` or `configuration`; `CancellationError`; or an error of a request
    ///   or of `route`.
    @discardableResult
    public func upload(
        _ file: URL, inPartsOf size: Int64, atOnce limit: Int = 4,
        onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in },
        route: @escaping @Sendable (UploadPart) async throws -> Route?
    ) async throws -> [(part: UploadPart, response: HTTPResponse)] {
        guard size > 0, limit > 0 else {
            throw HTTPError(
                .configuration(size > 0 ? "atOnce" : "inPartsOf"), reason: "it is \(size > 0 ? Int64(limit) : size)",
                suggestion: "Use a number of at least 1")
        }
        let source = try FileSource(file)
        let progress = PartsProgress(total: source.length, onProgress)
        return try await withThrowingTaskGroup(of: (part: UploadPart, response: HTTPResponse).self) { group in
            var (running, sent) = (0, [(part: UploadPart, response: HTTPResponse)]())
            for part in UploadPart.all(of: source.length, size: size) {
                if running == limit, let done = try await group.next() {
                    sent.append(done)
                    running -= 1
                }
                guard var target = try await route(part) else {
                    progress.add(Int64(part.bytes.count), of: part)
                    continue
                }
                let bytes = HTTPBody(segments: [.file(try source.part(part.bytes, of: file))])
                target.body = RouteBody(contentType: "application/octet-stream") { bytes }
                // Servers put the bytes together as they are sent, and many need their length.
                target = target.compressed(.none)
                running += 1
                group.addTask { [target] in
                    let request = request(target)
                    request.addProgressHandler(.upload) { progress.add($0.completed, of: part) }
                    let response = try await request.response()
                    progress.add(Int64(part.bytes.count), of: part)
                    return (part, response)
                }
            }
            for try await done in group { sent.append(done) }
            return sent.sorted { $0.part.number < $1.part.number }
        }
    }
}

/// The progress of all parts. A part that is sent again counts when it gets further than before.
private struct PartsProgress: Sendable {
    private let total: Int64
    private let rising: RisingProgress
    private let parts = Lock<(sum: Int64, completed: [Int: Int64])>((0, [:]))

    init(total: Int64, _ onProgress: @escaping @Sendable (TransferProgress) -> Void) {
        (self.total, rising) = (total, RisingProgress(onProgress))
    }

    func add(_ completed: Int64, of part: UploadPart) {
        let sum = parts.withLock { parts in
            parts.sum += max(0, completed - parts.completed[part.number, default: 0])
            parts.completed[part.number] = max(completed, parts.completed[part.number, default: 0])
            return parts.sum
        }
        rising(sum, of: total)
    }
}

extension FileSource {
    /// Opens a part of the file at a URL. Throws ``HTTPError`` of kind `unreadableFile` if it is another file now, or
    /// another version: the server would get a mixture of two.
    func part(_ bytes: Range<Int64>, of file: URL) throws(HTTPError) -> FileSource {
        let part = try FileSource(file, bytes: bytes)
        guard part.version == version else {
            throw HTTPError(
                .unreadableFile(path), reason: "it changed while it was uploaded",
                suggestion: "Upload a copy that does not change")
        }
        return part
    }
}
