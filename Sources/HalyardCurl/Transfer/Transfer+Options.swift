import CHalyardCurl
import HalyardHTTP

// The options of one request. `EngineSettings` sets the options that all requests share.
extension Transfer {
    /// Sets the request's options on the easy handle.
    func configure() {
        easy.set(HALYARD_OPT_URL, request.address.text)
        easy.set(HALYARD_OPT_PIPEWAIT, mayMultiplex)
        if settings.configuration.httpVersion == .http2, !CurlLibrary.multiplexesCleartextHTTP2,
            request.origin.scheme == "http"
        {
            easy.set(HALYARD_OPT_FRESH_CONNECT, true)
            easy.set(HALYARD_OPT_FORBID_REUSE, true)
            easy.needsReset = true
        }
        if !CurlLibrary.hasPrerequestCallback {
            // On a reused connection these releases do not report the local port, which `EventLoop.isInUse(_:)` needs
            // to distinguish the connection of a paused transfer from an idle one.
            let mayPause = request.destination.isLarge
            if !request.method.isIdempotent || mayPause { easy.set(HALYARD_OPT_FRESH_CONNECT, true) }
            easy.needsReset = true  // See `shouldSend`.
        }
        if let limit = pending.context.connectTimeout, limit != settings.configuration.connectTimeout {
            easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, limit.milliseconds)
            easy.needsReset = true
        }
        if request.destination.isLarge {
            // Measured: with 256 KB a stream costs a fifth more.
            easy.setIfSupported(HALYARD_OPT_BUFFERSIZE, 512 << 10)
            easy.isSingleUse = true  // The buffer is too large to keep.
        }
        configureMethodAndBody()
        configureHeaders()
    }

    private func configureMethodAndBody() {
        var options = EasyHandle.MessageOptions(method: request.method)
        options.bypassesProxy = settings.bypassesProxy(to: request.origin)
        // These methods anticipate a body, so they announce a length even without one (RFC 9110 section 8.6).
        options.sendsBody = uploadCursor != nil || [.post, .put, .patch].contains(request.method)
        options.version = mayMultiplex ? settings.bestVersion : HALYARD__HTTP_VERSION_1_1
        if triesHTTP3 { options.version = HALYARD__HTTP_VERSION_3 }
        // Remarks cost a quarter of a small request. Over a connection that is known to be HTTP/2 or HTTP/3, only a request that must
        // not be sent twice needs them.
        options.isVerbose =
            queue.isMultiplexed
            ? mayMultiplex && !request.method.isIdempotent : mayMultiplex || request.origin.scheme == "https"
        easy.set(options)
        easy.setResendsOnlyRefused(mayMultiplex && !request.method.isIdempotent)
        guard options.sendsBody else { return }
        easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: uploadCursor == nil ? 0 : request.body?.length ?? -1)
        // libcurl waits for a 100 for up to a second. Without the empty field it does so before every large body.
        let asks = pending.context.expectsContinue && uploadCursor != nil
        headerLines.append(asks ? "Expect: 100-continue" : "Expect:")
        if (request.body?.length ?? .max) > 1 << 20 {
            easy.set(HALYARD_OPT_UPLOAD_BUFFERSIZE, 256 << 10)
            easy.isSingleUse = true
        }
    }

    private func configureHeaders() {
        offersCompression = settings.configuration.decompresses && !ContentCoding.available.isEmpty
        var hasAccept = false
        for field in request.headers {
            headerLines.append(field)
            switch field.name.rawValue.utf8.count {
            case 6 where field.name.matches("Accept"): hasAccept = true
            case 5 where field.name.matches("Range"), 15 where field.name.matches("Accept-Encoding"):
                offersCompression = false
            default: break
            }
        }
        if !hasAccept { headerLines.append("Accept:") }  // Otherwise libcurl adds its own.
        if offersCompression { headerLines.append(ContentCoding.acceptEncodingLine) }
        easy.set(HALYARD_OPT_HTTPHEADER, headerLines.pointer)
    }
}
