import CHalyardCurl
import HalyardHTTP

// The options of one request. `EngineSettings` sets the options that all requests share.
extension Transfer {
    /// Sets the request's options on the easy handle.
    func configure() {
        easy.set(HALYARD_OPT_URL, request.address.text)
        easy.set(HALYARD_OPT_PIPEWAIT, settings.mayBeHTTP2(request.origin))
        if settings.configuration.httpVersion == .http2, !CurlLibrary.multiplexesCleartextHTTP2,
            request.origin.scheme == "http"
        {
            easy.set(HALYARD_OPT_FRESH_CONNECT, true)
            easy.set(HALYARD_OPT_FORBID_REUSE, true)
            easy.needsReset = true
        }
        if !CurlLibrary.hasPrerequestCallback {
            // On a reused connection these releases do not report the local port, which `EventLoop.isInUse(_:)` needs to
            // distinguish the connection of a paused transfer from an idle one.
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
        if case .system = settings.configuration.proxy.way { options.bypassesProxy = request.origin.isLoopback }
        // These methods anticipate a body, so they announce a length even without one (RFC 9110 section 8.6).
        options.sendsBody = uploadCursor != nil || [.post, .put, .patch].contains(request.method)
        easy.set(options)
        guard options.sendsBody else { return }
        easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: uploadCursor == nil ? 0 : request.body?.length ?? -1)
        headerLines.append("Expect:")  // Never wait for a 100 response.
        if (request.body?.length ?? .max) > 1 << 20 {
            easy.set(HALYARD_OPT_UPLOAD_BUFFERSIZE, 256 << 10)
            easy.isSingleUse = true
        }
    }

    private func configureHeaders() {
        offersCompression = settings.configuration.decompression.isOn && Inflater.isAvailable
        var hasAccept = false
        for field in request.headers {
            headerLines.append(field)
            switch field.name.rawValue.utf8.count {
            case 6 where field.name == .accept: hasAccept = true
            case 5 where field.name.matches("Range"), 15 where field.name.matches("Accept-Encoding"):
                offersCompression = false
            default: break
            }
        }
        headerLines.attachTail(settings.headerTail(hasAccept: hasAccept, offersCompression: offersCompression))
        easy.set(HALYARD_OPT_HTTPHEADER, headerLines.pointer)
    }
}

extension HTTPRequest.Destination {
    /// Whether the destination is one for large bodies: a file or a stream.
    fileprivate var isLarge: Bool { if case .memory = place { false } else { true } }
}
