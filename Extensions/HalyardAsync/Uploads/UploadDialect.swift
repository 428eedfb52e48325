import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// The requests of a protocol for resumable uploads, and what its responses say.
enum UploadDialect: String, Sendable, Codable {
    /// https://tus.io/protocols/resumable-upload
    case tus
    /// draft-ietf-httpbis-resumable-upload-12
    case draft

    /// Asks the server which protocol it has.
    static func detect(_ route: Route, _ provider: some HTTPProvider) async throws -> UploadDialect {
        var question = route
        question.method = .options
        question.encoding = .url
        let response = try await provider.request(question).response()
        if response.headers.contains("Tus-Resumable") || response.headers.contains("Tus-Version") { return .tus }
        if response.headers.contains("Upload-Limit") { return .draft }
        throw HTTPError(
            .invalidResponse, reason: "the response to OPTIONS names no protocol for resumable uploads",
            suggestion: "Use .tus or .draft if the server has one, or upload the file in one request",
            response: response)
    }

    /// Returns the request that creates an upload without bytes.
    func creation(_ route: Route, length: Int64, metadata: [String: String]) throws(HTTPError) -> Route {
        var creation = route
        (creation.body, creation.multipart, creation.encoding) = (nil, nil, .url)
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
            creation.headers["Content-Type"] = metadata["filetype"]
            creation.headers["Content-Disposition"] = metadata["filename"].map { name in
                var bytes: [UInt8] = []
                bytes.append(percentEncoding: name)
                return "inline; filename*=UTF-8''" + String(decoding: bytes, as: UTF8.self)
            }
        }
        mark(&creation)
        return creation
    }

    /// Returns a request to the URL of an upload.
    func request(_ method: HTTPMethod, _ url: String, from route: Route) -> Route {
        var request = route.following(url)
        request.method = method
        mark(&request)
        return request
    }

    /// Returns the request that appends bytes of a file. `isLast` says whether they are the last ones.
    func append(_ body: HTTPBody, at offset: Int64, isLast: Bool, to url: String, from route: Route) -> Route {
        var request = request(.patch, url, from: route)
        request.headers["Upload-Offset"] = String(offset)
        if self == .draft { request.headers["Upload-Complete"] = isLast ? "?1" : "?0" }
        let type = self == .tus ? "application/offset+octet-stream" : "application/partial-upload"
        request.body = RouteBody(contentType: type) { body }
        // The server counts the bytes as they are sent.
        return request.compressed(.none)
    }

    private func mark(_ request: inout Route) {
        switch self {
        case .tus: request.headers["Tus-Resumable"] = "1.0.0"
        case .draft: request.headers["Upload-Draft-Interop-Version"] = "8"
        }
    }

    /// Whether the upload is complete, by a successful response to a request that may have completed it.
    func isComplete(_ response: HTTPResponse, offset: Int64, length: Int64, isLast: Bool) -> Bool {
        guard self == .draft else { return offset == length }
        // A response of the target itself need not have the header.
        return (try? response.headers.structuredItem("Upload-Complete")?.value).map { $0 == .boolean(true) } ?? isLast
    }

    /// The most bytes of one request that the server accepts. `nil` if it did not say.
    static func partLimit(_ response: HTTPResponse) -> Int64? {
        guard let limits = try? response.headers.structuredDictionary("Upload-Limit"),
            case .integer(let limit)? = limits["max-append-size"]?.value, limit > 0
        else { return nil }
        return limit
    }

    /// The number of bytes that the server has. `nil` if the response does not say.
    static func offset(_ response: HTTPResponse) -> Int64? {
        guard case .integer(let offset)? = (try? response.headers.structuredItem("Upload-Offset"))?.value, offset >= 0
        else { return nil }
        return offset
    }
}
