import CHalyardCurl
import HalyardHTTP

extension HTTPError {
    /// Makes the error for a result of libcurl. Returns the error, without the request.
    static func forCurl(_ result: halyard_result, _ message: String, _ origin: Origin, verification: Int) -> HTTPError {
        switch result {
        // libcurl's message would contain the proxy's URL, with user name and password.
        case HALYARD_E_COULDNT_RESOLVE_PROXY where message.hasPrefix("Unsupported proxy"),
            HALYARD_E_COULDNT_CONNECT where message.hasPrefix("Unsupported proxy"):
            HTTPError(.configuration("proxy"), reason: "the proxy URL of the environment is not valid")
        case HALYARD_E_URL_MALFORMAT: HTTPError(.invalidURL("\(origin)"), reason: message)
        case HALYARD_E_COULDNT_RESOLVE_HOST: HTTPError(.hostNotFound(origin.host))
        case HALYARD_E_COULDNT_RESOLVE_PROXY: HTTPError(.hostNotFound("the proxy"), reason: message)
        case HALYARD_E_COULDNT_CONNECT: HTTPError(.cannotConnect("\(origin)"), reason: message)
        // The engine keeps the other limits itself.
        case HALYARD_E_OPERATION_TIMEDOUT: .exceeded(.connect, reason: message)
        case HALYARD_E_PEER_FAILED_VERIFICATION:
            HTTPError(.tls(TLSFailure(verification: verification)), reason: message)
        case HALYARD_E_SSL_PINNEDPUBKEYNOTMATCH: HTTPError(.tls(.wrongPin))
        case HALYARD_E_SSL_CERTPROBLEM,
            HALYARD_E_BAD_FUNCTION_ARGUMENT where message.hasPrefix("unable to set private key"):  // 8.23
            HTTPError(.configuration("tls.clientCertificate"), reason: message)
        case HALYARD_E_INTERFACE_FAILED: HTTPError(.configuration("localInterface"), reason: message)
        case HALYARD_E_PROXY, HALYARD_E_QUIC_CONNECT_ERROR,
            // UDP reports a closed port when something is sent to it.
            HALYARD_E_SEND_ERROR where message.hasPrefix("Failed to connect to"),
            HALYARD_E_RECV_ERROR where message.hasPrefix("Failed to connect to"):
            HTTPError(.cannotConnect("\(origin)"), reason: message)
        case HALYARD_E_SSL_CONNECT_ERROR where message.saysConnectionEnded:
            HTTPError(.cannotConnect("\(origin)"), reason: "the connection ended in the TLS handshake (\(message))")
        case HALYARD_E_SSL_CIPHER, HALYARD_E_SSL_CONNECT_ERROR: HTTPError(.tls(.handshake), reason: message)
        case HALYARD_E_SSL_CACERT_BADFILE: HTTPError(.configuration("tls.roots"), reason: message)
        case HALYARD_E_RECV_ERROR where message.saysChunkIsMalformed: HTTPError(.invalidResponse, reason: message)
        case HALYARD_E_HTTP2 where !message.saysProtocolIsViolated,
            HALYARD_E_HTTP2_STREAM where !message.saysProtocolIsViolated,
            HALYARD_E_HTTP3 where !message.saysProtocolIsViolated:
            HTTPError(.connectionLost, reason: message)
        case HALYARD_E_RECV_ERROR where message.saysHeaderBlockIsTooLong:
            HTTPError(
                .connectionLost, reason: message,
                suggestion:
                    "A response on this connection has more header fields than libcurl reads over HTTP/2: 128 KB")
        case HALYARD_E_PARTIAL_FILE, HALYARD_E_GOT_NOTHING, HALYARD_E_SEND_ERROR, HALYARD_E_RECV_ERROR,
            HALYARD_E_SEND_FAIL_REWIND:
            HTTPError(.connectionLost, reason: message)
        case HALYARD_E_WEIRD_SERVER_REPLY, HALYARD_E_UNSUPPORTED_PROTOCOL, HALYARD_E_HTTP2, HALYARD_E_HTTP2_STREAM,
            HALYARD_E_HTTP3, HALYARD_E_BAD_CONTENT_ENCODING:
            HTTPError(.invalidResponse, reason: message)
        case HALYARD_E_WRITE_ERROR where CurlLibrary.failsAfterPauses:
            HTTPError(
                .engine(code: Int(result.rawValue)), reason: message,
                suggestion: "This is a defect of libcurl 8.16.0 with slowly read streams. Install another release")
        default: HTTPError(.engine(code: Int(result.rawValue)), reason: message)
        }
    }
}

extension String {
    /// Whether a TLS library says that the other side closed or reset the connection, and not why a handshake failed.
    fileprivate var saysConnectionEnded: Bool {
        let signs = [
            "reset", "SYSCALL", "unexpected eof", "non-properly terminated", "push/pull", "Broken pipe", "closed",
        ]
        return signs.contains { contains($0) }
    }

    /// Whether libcurl says that a chunk does not follow RFC 9112 section 7.1.
    fileprivate var saysChunkIsMalformed: Bool { contains("chunk") }

    /// Whether libcurl has given an HTTP/2 connection up because of the header fields of one of its streams.
    fileprivate var saysHeaderBlockIsTooLong: Bool {
        contains("user callback function failed") || contains("Too many CONTINUATION frames")
    }

    /// Whether one side of a connection says that the other breaks HTTP/2 or HTTP/3: "HTTP/2 stream 1 was not closed
    /// cleanly: PROTOCOL_ERROR (err 1)".
    fileprivate var saysProtocolIsViolated: Bool {
        // Since 8.21: "HTTP/2 stream 1 reset by server (error 0x1 PROTOCOL_ERROR)".
        if let match = firstMatch(of: /\(err (\d+)\)|\(error 0x([0-9a-f]+)/) {
            let code = match.1.flatMap { UInt32($0) } ?? match.2.flatMap { UInt32($0, radix: 16) }
            return code.map { HTTP2ErrorCode(number: $0).isViolation } ?? false
        }
        return contains("recv error") || contains("invalid frame")
    }
}

extension HTTPError {
    /// The error of a request that the server has not processed, and that the engine cannot send again.
    static var refused: HTTPError {
        HTTPError(
            .connectionLost, reason: "the server refused the request without processing it",
            suggestion: "Send it again: the server has not processed it"
        ).with { $0.mayHaveBeenProcessed = false }
    }

    /// The error of a request that was about to be sent over a connection that another one uses.
    static var misdirected: HTTPError {
        HTTPError(.connectionLost, reason: "the server falsely claimed HTTP/2, so its connection is not used")
            .with { $0.mayHaveBeenProcessed = false }
    }

    /// The error of a request that must not be sent again over another connection.
    static var closed: HTTPError {
        HTTPError(
            .connectionLost, reason: "it was closed by the server",
            suggestion: "The server may have processed the request: check before you send it again")
    }

    /// Makes the error for a response in a transfer coding other than chunked.
    static func transferCoding(_ coding: String) -> HTTPError {
        HTTPError(.unsupportedCoding(coding), reason: "only the transfer coding chunked is supported")
    }
}

extension HTTPError.TLSFailure {
    /// Makes the failure for a result of OpenSSL's verification: one of its `X509_V_ERR_*` numbers. Its forks use the
    /// same.
    fileprivate init(verification: Int) {
        self =
            switch verification {
            case 9, 10: .expired  // CERT_NOT_YET_VALID, CERT_HAS_EXPIRED
            case 18: .selfSigned  // DEPTH_ZERO_SELF_SIGNED_CERT
            case 2, 19, 20, 21: .unknownRoot  // no issuer, self-signed in chain, no local issuer, unverifiable leaf
            // 62 is HOSTNAME_MISMATCH. libcurl compares names itself, after OpenSSL has accepted the chain. It does not
            // store OpenSSL's result in that case, and its own initial value is 1.
            case 0, 1, 62: .wrongHost
            default: .badCertificate
            }
    }
}

/// An error code of HTTP/2 (RFC 9113 section 7), with its name.
struct HTTP2ErrorCode: CustomStringConvertible {
    let number: UInt32

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var description: String {
        Self.names.indices.contains(Int(number)) ? "\(Self.names[Int(number)]) (\(number))" : "error \(number)"
    }

    /// Whether one side has found that the other breaks the protocol. libcurl reports what it finds itself with the
    /// same codes. The larger ones are HTTP/3's (RFC 9114 section 8.1, RFC 9204 section 6).
    var isViolation: Bool { [1, 3, 6, 9, 0x101, 0x105, 0x106, 0x10A, 0x10E, 0x200].contains(number) }
}

extension HTTPRequest {
    /// The maximum size of a request line with its header fields in libcurl, in bytes (`DYN_HTTP_REQUEST`).
    private static let headLimit = 1 << 20

    /// Returns the error of a transfer with this request, or a clearer one in its place.
    @inline(never)  // See `CurlTransport.transfer(of:_:)`.
    func clarified(_ error: any Error) -> any Error {
        guard let error = error as? HTTPError else { return error }
        return (headTooLarge(for: error) ?? error).adding(request: self)
    }

    /// Replaces libcurl's error for a request whose head exceeds libcurl's limit: before 8.6 "Out of memory" (27),
    /// since then "A value or data field grew larger than allowed" (100). Nothing was sent.
    ///
    /// The size is computed only after a failure, so that other requests do not pay for it. Returns an error of kind
    /// `invalidURL` or `invalidHeader`; `nil` if the size was not the reason.
    private func headTooLarge(for error: HTTPError) -> HTTPError? {
        guard error.response == nil, [.engine(code: 27), .engine(code: 100)].contains(error.kind) else { return nil }
        let address = address.text.utf8.count
        var (size, largest, name) = (address, 0, "")
        for field in headers {
            let count = field.name.rawValue.utf8.count + field.value.utf8.count + 4
            size += count
            if count > largest { (largest, name) = (count, field.name.rawValue) }
        }
        // The engine's own fields, such as `Host`, are small.
        guard size > Self.headLimit - 4096 else { return nil }
        return HTTPError(
            address > largest ? .invalidURL(self.address.text) : .invalidHeader(name),
            reason:
                "the URL and the header fields have \(size) bytes, and libcurl sends \(Self.headLimit) bytes at most",
            suggestion: "Move large values to the body", request: self)
    }
}
