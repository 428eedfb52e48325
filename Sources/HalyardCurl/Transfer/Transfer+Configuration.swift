import CHalyardCurl
import HalyardHTTP

// What libcurl is told of this request; what it is told of all stands in `EngineSettings`.
extension Transfer {
    func configure() {
        easy.set(HALYARD_OPT_URL, request.address.text)
        easy.set(HALYARD_OPT_PIPEWAIT, settings.mayBeHTTP2(request.origin))
        if settings.configuration.httpVersion == .http2, !CurlLibrary.sharesPlainHTTP2, request.origin.scheme == "http"
        {
            easy.set(HALYARD_OPT_FRESH_CONNECT, true)
            easy.set(HALYARD_OPT_FORBID_REUSE, true)
            easy.isSpoilt = true
        }
        if !CurlLibrary.asksBeforeSending {
            // Of a kept connection these releases do not tell the port, by which one that is paused is told from an idle one.
            let mayPause = request.destination.isLarge
            if !request.method.isIdempotent || mayPause { easy.set(HALYARD_OPT_FRESH_CONNECT, true) }
            easy.isSpoilt = true  // see `maySend()`
        }
        if let limit = start.context.connectTimeout, limit != settings.configuration.connectTimeout {
            easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, limit.milliseconds)
            easy.isSpoilt = true
        }
        if request.destination.isLarge {
            easy.propose(HALYARD_OPT_BUFFERSIZE, 512 << 10)  // measured: at 256 a stream costs a fifth more
            easy.isSpent = true  // its room is too much to keep
        }
        configureMethodAndBody()
        configureHeaders()
    }

    private func configureMethodAndBody() {
        var options = EasyHandle.Options(method: request.method)
        if case .system = settings.configuration.proxy.way { options.isDirect = request.origin.isLoopback }
        // A method that is about its body says so even when there is none (RFC 9110 section 8.6).
        options.sendsBody = cursor != nil || [.post, .put, .patch].contains(request.method)
        easy.set(options)
        guard options.sendsBody else { return }
        easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: cursor == nil ? 0 : request.body?.length ?? -1)
        lines.append("Expect:")  // never wait for a 100
        if (request.body?.length ?? .max) > 1 << 20 {
            easy.set(HALYARD_OPT_UPLOAD_BUFFERSIZE, 256 << 10)
            easy.isSpent = true
        }
    }

    private func configureHeaders() {
        offersCompression = settings.configuration.decompression.isOn && Inflater.isAvailable
        var accepts = false
        for field in request.headers {
            lines.append(field)
            switch field.name.rawValue.utf8.count {
            case 6 where field.name == .accept: accepts = true
            case 5 where field.name.matches("Range"), 15 where field.name.matches("Accept-Encoding"):
                offersCompression = false
            default: break
            }
        }
        lines.end(with: settings.ending(accepts: accepts, offersCompression: offersCompression))
        easy.set(HALYARD_OPT_HTTPHEADER, lines.pointer)
    }
}

extension HTTPRequest.Destination {
    /// Whether it is chosen for what is large.
    fileprivate var isLarge: Bool { if case .memory = place { false } else { true } }
}
