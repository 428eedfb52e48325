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
        case HALYARD_E_SSL_CERTPROBLEM: HTTPError(.configuration("tls.clientCertificate"), reason: words)
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
        default: HTTPError(.engine(code: Int(result.rawValue)), reason: words)
        }
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
            // 62 is HOSTNAME_MISMATCH. libcurl compares names itself, after a chain that OpenSSL found good, and then has
            // not asked for its finding: 1 is what it starts with.
            case 0, 1, 62: .wrongHost
            default: .badCertificate
            }
    }
}
