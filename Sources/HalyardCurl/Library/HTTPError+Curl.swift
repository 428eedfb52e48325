import CHalyardCurl
import HalyardHTTP

extension HTTPError {
    /// libcurl's result in Halyard's words.
    static func of(_ result: halyard_result, _ words: String, _ origin: Origin, verified: Int) -> HTTPError {
        switch result {
        // libcurl would quote it whole, with user name and password.
        case HALYARD_E_COULDNT_RESOLVE_PROXY where words.hasPrefix("Unsupported proxy"),
            HALYARD_E_COULDNT_CONNECT where words.hasPrefix("Unsupported proxy"):
            HTTPError(.configuration("proxy"), reason: "the one that the environment names is not valid")
        case HALYARD_E_URL_MALFORMAT: HTTPError(.invalidURL("\(origin)"), reason: words)
        case HALYARD_E_COULDNT_RESOLVE_HOST: HTTPError(.hostNotFound(origin.host))
        case HALYARD_E_COULDNT_RESOLVE_PROXY: HTTPError(.hostNotFound("the proxy"), reason: words)
        case HALYARD_E_COULDNT_CONNECT: HTTPError(.cannotConnect("\(origin)"), reason: words)
        case HALYARD_E_OPERATION_TIMEDOUT: HTTPError(.timedOut, reason: words)
        case HALYARD_E_PEER_FAILED_VERIFICATION: HTTPError(.tls(TLSFailure(verified)), reason: words)
        case HALYARD_E_SSL_PINNEDPUBKEYNOTMATCH: HTTPError(.tls(.wrongPin))
        case HALYARD_E_SSL_CERTPROBLEM,
            HALYARD_E_BAD_FUNCTION_ARGUMENT where words.hasPrefix("unable to set private key"):  // 8.23
            HTTPError(.configuration("tls.clientCertificate"), reason: words)
        case HALYARD_E_INTERFACE_FAILED: HTTPError(.configuration("localInterface"), reason: words)
        case HALYARD_E_PROXY: HTTPError(.cannotConnect("\(origin)"), reason: words)
        case HALYARD_E_SSL_CIPHER, HALYARD_E_SSL_CONNECT_ERROR: HTTPError(.tls(.handshake), reason: words)
        case HALYARD_E_SSL_CACERT_BADFILE: HTTPError(.configuration("tls.roots"), reason: words)
        case HALYARD_E_PARTIAL_FILE, HALYARD_E_GOT_NOTHING, HALYARD_E_SEND_ERROR, HALYARD_E_RECV_ERROR,
            HALYARD_E_SEND_FAIL_REWIND:
            HTTPError(.connectionLost, reason: words)
        case HALYARD_E_WEIRD_SERVER_REPLY, HALYARD_E_UNSUPPORTED_PROTOCOL, HALYARD_E_HTTP2, HALYARD_E_HTTP2_STREAM,
            HALYARD_E_BAD_CONTENT_ENCODING:
            HTTPError(.invalidResponse, reason: words)
        case HALYARD_E_WRITE_ERROR where CurlLibrary.failsAfterPauses:
            HTTPError(
                .engine(code: Int(result.rawValue)), reason: words,
                suggestion: "libcurl 8.16.0 fails so where a stream is read slowly: install another release")
        default: HTTPError(.engine(code: Int(result.rawValue)), reason: words)
        }
    }
}

extension HTTPError {
    static func transferCoding(_ coding: String) -> HTTPError {
        HTTPError(.unsupportedCoding(coding), reason: "no transfer coding but chunked was offered")
    }
}

extension ResponseHead {
    /// What libcurl does not take of header fields, whatever the engine's limit: a line of 100 KB, since 8.3 lines of
    /// 300 KB in all, since 8.16 more than 5000.
    func error(for result: halyard_result, _ words: String) -> HTTPError? {
        guard status != 0 else { return nil }  // it is of the request that it speaks
        return switch result {
        case HALYARD_E_TOO_LARGE where words.hasPrefix("Too many"): tooLarge(limit, because: words)
        case HALYARD_E_TOO_LARGE: tooLarge(100 << 10, because: "one line alone is longer")
        // Before 8.6 there was no other word for it.
        case HALYARD_E_OUT_OF_MEMORY where !isFinal: tooLarge(100 << 10, because: "one line alone is longer")
        case HALYARD_E_RECV_ERROR where words.hasPrefix("Too large response headers"):
            tooLarge(300 << 10, because: words)
        // Since 8.7: "Unsolicited Transfer-Encoding (gzip) found", where libcurl before returned the coded bytes.
        case HALYARD_E_BAD_CONTENT_ENCODING where words.contains("Transfer-Encoding ("):
            .transferCoding(words.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.lowercased())
        // So it calls a field, or a line that goes on with one, which it cannot keep.
        case HALYARD_E_BAD_FUNCTION_ARGUMENT:
            HTTPError(.invalidResponse, reason: "one of its header fields is not valid")
        default: nil
        }
    }

    private func tooLarge(_ limit: Int, because reason: String) -> HTTPError {
        HTTPError(
            .headersTooLarge(limit: limit), reason: reason,
            suggestion: "It is libcurl's own limit: the server must say less in them")
    }
}

extension HTTPError.TLSFailure {
    /// From what OpenSSL found (its `X509_V_ERR_*` numbers, which its forks share).
    fileprivate init(_ verified: Int) {
        self =
            switch verified {
            case 9, 10: .expired  // CERT_NOT_YET_VALID, CERT_HAS_EXPIRED
            case 18: .selfSigned  // DEPTH_ZERO_SELF_SIGNED_CERT
            case 2, 19, 20, 21: .unknownRoot  // no issuer, self-signed in chain, no local issuer, no first link
            // 62 is HOSTNAME_MISMATCH. libcurl compares names itself, after a chain that OpenSSL found good, and then
            // has not asked for its finding: 1 is what it starts with.
            case 0, 1, 62: .wrongHost
            default: .badCertificate
            }
    }
}
