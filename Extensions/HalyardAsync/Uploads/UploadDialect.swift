import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// The requests of a protocol for resumable uploads, and what its responses say.
enum UploadDialect: String, Sendable, Codable {
    /// https://tus.io/protocols/resumable-upload
    case tus
    /// draft-ietf-httpbis-resumable-upload-13
    case draft

    /// Asks the server which protocol it has, and what it accepts.
    static func detect(
        _ route: Route, _ provider: some HTTPProvider
    ) async throws -> (dialect: UploadDialect, limits: UploadLimits?) {
        var question = route.creatingUpload
        question.method = .options
        // A server of the draft need not answer a client of another version. tus has no header field for OPTIONS.
        UploadDialect.draft.mark(&question)
        let response = try await provider.request(question).response()
        let limits = UploadLimits(response)
        if response.headers.contains("Tus-Resumable") || response.headers.contains("Tus-Version") {
            return (.tus, limits)
        }
        if response.headers.contains("Upload-Limit") { return (.draft, limits) }
        throw HTTPError(
            .invalidResponse, reason: "the response to OPTIONS names no protocol for resumable uploads",
            suggestion: "Use .tus or .draft if the server has one, or upload the file in one request",
            response: response)
    }

    /// Returns the request that creates an upload. `chunk` is the beginning of the file. `nil` for an upload without bytes.
    func creation(
        _ route: Route, length: Int64, metadata: [String: String], _ chunk: UploadChunk?
    ) throws(HTTPError) -> Route {
        var creation = route.creatingUpload
        creation.headers["Upload-Length"] = String(length)
        switch self {
        case .tus:
            // A name is ASCII without a space or a comma, and a value has its bytes in base64.
            for name in metadata.keys where name.isEmpty || !name.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x2C }) {
                throw HTTPError(.encoding("metadata"), reason: "tus has no name \(name.quoted)")
            }
            let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0) \(Data($1.utf8).base64EncodedString())" }
            creation.headers["Upload-Metadata"] = pairs.isEmpty ? nil : pairs.joined(separator: ",")
        case .draft:
            creation.headers["Upload-Complete"] = "?0"
            if let type = metadata["filetype"] { creation.headers["Content-Type"] = type }
            if let name = metadata["filename"] {
                var bytes: [UInt8] = []
                bytes.append(percentEncoding: name)
                let text = String(decoding: bytes, as: UTF8.self)
                creation.headers["Content-Disposition"] = "inline; filename*=UTF-8''\(text)"
            }
        }
        mark(&creation)
        guard let chunk else { return creation }
        let type = self == .tus ? Self.tusType : metadata["filetype"] ?? "application/octet-stream"
        return fill(creation, with: chunk, type)
    }

    /// Returns a request to the URL of an upload.
    func request(_ method: HTTPMethod, _ url: String, from route: Route) -> Route {
        var request = route.following(url)
        // Parameters of the provider are for the query: HEAD and DELETE have no body.
        (request.method, request.encoding) = (method, .url)
        // These are about the creation.
        for name in ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Idempotency-Key"] {
            request.headers[name] = nil
        }
        mark(&request)
        return request
    }

    /// Returns the request that appends bytes of a file.
    func append(_ chunk: UploadChunk, to url: String, from route: Route) -> Route {
        var request = request(.patch, url, from: route)
        request.headers["Upload-Offset"] = String(chunk.bytes.lowerBound)
        return fill(request, with: chunk, self == .tus ? Self.tusType : "application/partial-upload")
    }

    private static let tusType = "application/offset+octet-stream"

    private func fill(_ request: Route, with chunk: UploadChunk, _ type: String) -> Route {
        // The upload decides whether bytes are sent again, and asks for the offset first.
        var request = request.retry(.never)
        // That of the provider is for other requests.
        request.headers["Content-Type"] = type
        request.body = RouteBody(contentType: type) { chunk.body }
        if self == .draft { request.headers["Upload-Complete"] = chunk.isLast ? "?1" : "?0" }
        if let digest = chunk.digest?.base64EncodedString() {
            let isTus = self == .tus
            request.headers[isTus ? "Upload-Checksum" : "Content-Digest"] =
                isTus ? "sha256 \(digest)" : "sha-256=:\(digest):"
        }
        // The server counts the bytes as they are sent.
        return request.compressed(.none)
    }

    private static let interopVersion = "10"

    /// Returns the URL of the upload that an interim response names. `nil` for another one, and for that of another
    /// version of the draft.
    func announcedLocation(_ interim: HTTPResponse) -> String? {
        guard self == .draft, interim.status == 104 else { return nil }
        return interim.headers["Upload-Draft-Interop-Version"] == Self.interopVersion
            ? interim.headers["Location"] : nil
    }

    func mark(_ request: inout Route) {
        switch self {
        case .tus: request.headers["Tus-Resumable"] = "1.0.0"
        case .draft: request.headers["Upload-Draft-Interop-Version"] = Self.interopVersion
        }
    }

    /// Whether a response says that the upload has ended. It is then the response of the target itself, which may be a
    /// refusal, and which may not have waited for all bytes. Only the draft has it.
    func isFinal(_ response: HTTPResponse?) -> Bool { isComplete(response) == true }

    /// Whether a response says that the upload goes on.
    func isUnfinished(_ response: HTTPResponse) -> Bool { isComplete(response) == false }

    private func isComplete(_ response: HTTPResponse?) -> Bool? {
        guard self == .draft,
            case .boolean(let isComplete)? = (try? response?.headers.structuredItem("Upload-Complete"))?.value
        else { return nil }
        return isComplete
    }

    /// Whether the server does not have an upload any more, by its answer to a request to the upload's URL.
    func isForgotten(_ response: HTTPResponse?, _ method: HTTPMethod) -> Bool {
        guard let response else { return false }
        // With tus, the status may also be 403.
        let isHidden = self == .tus && method == .head && response.status == 403 && Self.offset(response) == nil
        return [404, 410].contains(response.status) || isHidden
    }

    /// The number of bytes that the server has. `nil` if the response does not say.
    static func offset(_ response: HTTPResponse) -> Int64? { number("Upload-Offset", response) }

    /// The number of bytes of the whole upload. `nil` if the response does not say.
    static func length(_ response: HTTPResponse) -> Int64? { number("Upload-Length", response) }

    private static func number(_ name: String, _ response: HTTPResponse) -> Int64? {
        guard case .integer(let number)? = (try? response.headers.structuredItem(name))?.value, number >= 0 else {
            return nil
        }
        return number
    }
}

/// The bytes of a file that one request has.
struct UploadChunk: Sendable {
    let bytes: Range<Int64>
    let body: HTTPBody
    /// Whether the file ends with them.
    let isLast: Bool
    /// Their SHA-256. `nil` for none.
    let digest: Data?
}

extension Route {
    /// The route without its body: its target creates uploads.
    var creatingUpload: Route {
        var creation = self
        (creation.body, creation.multipart, creation.encoding) = (nil, nil, .url)
        return creation
    }
}

/// What a server accepts (section 4.1.4 of the draft).
struct UploadLimits {
    var size = Int64.max
    /// The least size of a file whose upload can be resumed.
    var leastSize: Int64 = 0
    var part: ClosedRange<Int64> = 1...Int64.max

    /// Reads `Upload-Limit`. `nil` if there is none that can be read. tus has `Tus-Max-Size`.
    init?(_ response: HTTPResponse) {
        let names = ["max-size", "min-append-size", "max-append-size", "min-size"]
        if let text = response.headers["Tus-Max-Size"], let limit = Int64(text), limit > 0 { size = limit }
        guard let limits = try? response.headers.structuredDictionary("Upload-Limit"),
            size < .max || response.headers.contains("Upload-Limit")
        else { return nil }
        let values = names.map { limits[$0]?.value }
        let numbers = values.map { value -> Int64? in
            if case .integer(let number)? = value, number >= 0 { number } else { nil }
        }
        // One value of another type makes all of them void.
        guard zip(values, numbers).allSatisfy({ ($0 == nil) == ($1 == nil) }) else { return nil }
        size = min(size, numbers[0] ?? .max)
        leastSize = numbers[3] ?? 0
        let least = max(1, numbers[1] ?? 1)
        // A limit of no bytes at all is a mistake.
        part = least...max(least, numbers[2].flatMap { $0 > 0 ? $0 : nil } ?? .max)
    }
}
