public import Halyard
public import HalyardHTTP

/// The record of a request that was sent once: its result, its events in order, and its attributes.
public struct RequestTrace: Sendable {
    /// The request as it was sent.
    public let request: HTTPRequest
    /// The response with any status, or the error. For a cancelled request, the error is a `CancellationError` or
    /// ``HTTPError`` of kind `cancelled`.
    public let result: Result<HTTPResponse, any Error>
    /// The time from the start of the span to its end.
    public let duration: Duration

    /// The type of a failure, without details: the status from 400, or a name such as `timedOut`; `nil` for a success.
    public var errorType: String? {
        switch result {
        case .success(let response): response.status >= 400 ? "\(response.status)" : nil
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as HTTPError): error.kind.shortName
        case .failure(let error): "\(type(of: error))"
        }
    }

    /// The events of the transfer that the engine has measured, in order: `dns`, `connect`, `tls`, `first byte` and
    /// `last byte`, with their times since the start of the span. A reused connection has no events of its own, and
    /// neither has a stream, whose transfer has not ended.
    public var events: [(name: String, offset: Duration)] {
        guard let metrics = try? result.get().metrics else { return [] }
        let connection = [("dns", metrics.nameLookup), ("connect", metrics.connect), ("tls", metrics.tls)]
        let transfer = [("first byte", metrics.firstByte), ("last byte", metrics.total)]
        return ((metrics.isConnectionReused ? [] : connection) + transfer).filter { $0.1 > .zero }
    }

    /// The attributes of the request and the response, named after OpenTelemetry's semantic conventions for HTTP
    /// clients: strings and numbers. Secrets in the URL are masked.
    public var attributes: [(name: String, value: JSON)] {
        var attributes: [(name: String, value: JSON)] = [
            ("http.request.method", .string(request.method.rawValue)),
            ("server.address", .string(request.origin.host)),
            ("server.port", JSON(request.origin.port)),
            ("url.full", .string(Redaction(request.secretNames).url(request.address.text))),
        ]
        if let response = try? result.get() {
            attributes.append(("http.response.status_code", JSON(response.status)))
            if let version = response.metrics?.httpVersion?.split(separator: "/").last {
                attributes.append(("network.protocol.version", .string(String(version))))
            }
        }
        if let errorType { attributes.append(("error.type", .string(errorType))) }
        return attributes
    }
}

extension HTTPError.Kind {
    /// The name of the kind without its values. Programs group their traces by it, so that it is not the text that a
    /// debugger shows.
    var shortName: String {
        switch self {
        case .invalidURL: "invalidURL"
        case .invalidMethod: "invalidMethod"
        case .invalidHeader: "invalidHeader"
        case .invalidPath: "invalidPath"
        case .encoding: "encoding"
        case .unreadableFile: "unreadableFile"
        case .unwritableFile: "unwritableFile"
        case .bodyConsumed: "bodyConsumed"
        case .engineUnavailable: "engineUnavailable"
        case .configuration: "configuration"
        case .shutDown: "shutDown"
        case .noStub: "noStub"
        case .hostNotFound: "hostNotFound"
        case .cannotConnect: "cannotConnect"
        case .tls: "tls"
        case .insecureConnection: "insecureConnection"
        case .connectionLost: "connectionLost"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        case .invalidResponse: "invalidResponse"
        case .digestMismatch: "digestMismatch"
        case .bodyTooLarge: "bodyTooLarge"
        case .headersTooLarge: "headersTooLarge"
        case .unsupportedCoding: "unsupportedCoding"
        case .engine: "engine"
        case .tooManyRedirects: "tooManyRedirects"
        case .insecureRedirect: "insecureRedirect"
        case .insecureCredentials: "insecureCredentials"
        case .foreignSecrets: "foreignSecrets"
        case .status(let status): "\(status)"
        case .emptyResponse: "emptyResponse"
        case .decoding: "decoding"
        case .stopped: "stopped"
        case .queueFull: "queueFull"
        case .rateLimited: "rateLimited"
        case .circuitOpen: "circuitOpen"
        }
    }
}
