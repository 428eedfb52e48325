import CHalyardCurl
import HalyardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What libcurl is told.
extension Transfer {
    func configure() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        easy.set(HALYARD_OPT_PRIVATE, me)
        easy.set(HALYARD_OPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        easy.set(HALYARD_OPT_URL, request.url.absoluteString)
        easy.set(HALYARD_OPT_PATH_AS_IS, true)
        easy.set(HALYARD_OPT_PROTOCOLS, Int(HALYARD_PROTO_HTTP | HALYARD_PROTO_HTTPS))
        easy.set(HALYARD_OPT_NOSIGNAL, true)
        easy.set(HALYARD_OPT_QUICK_EXIT, true)
        easy.set(HALYARD_OPT_SUPPRESS_CONNECT_HEADERS, true)
        if request.origin.isLoopback { easy.set(HALYARD_OPT_PROXY, "") }
        if let limit = context.connectTimeout { easy.set(HALYARD_OPT_CONNECTTIMEOUT_MS, limit.milliseconds) }

        easy.set(HALYARD_OPT_HEADERFUNCTION, receiveHeader)
        easy.set(HALYARD_OPT_HEADERDATA, me)
        easy.set(HALYARD_OPT_WRITEFUNCTION, receiveBody)
        easy.set(HALYARD_OPT_WRITEDATA, me)
        configureMethodAndBody(me)
        configureHeaders()
    }

    private func configureMethodAndBody(_ me: UnsafeMutableRawPointer) {
        // A method that is about its body says so even when there is none (RFC 9110 section 8.6).
        let sendsBody = cursor != nil || [.post, .put, .patch].contains(request.method)
        if sendsBody {
            easy.set(HALYARD_OPT_UPLOAD, true)
            easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: cursor == nil ? 0 : request.body?.length ?? -1)
            easy.set(HALYARD_OPT_READFUNCTION, sendBody)
            easy.set(HALYARD_OPT_READDATA, me)
            easy.set(HALYARD_OPT_SEEKFUNCTION, rewindBody)
            easy.set(HALYARD_OPT_SEEKDATA, me)
            headers.append("Expect:")  // never wait for a 100
        }
        if request.method == .head && !sendsBody {
            easy.set(HALYARD_OPT_NOBODY, true)
        } else if request.method != .get || sendsBody {
            easy.set(HALYARD_OPT_CUSTOMREQUEST, request.method.name)
        }
    }

    private func configureHeaders() {
        for field in request.headers {
            headers.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if !request.headers.contains("Accept") { headers.append("Accept:") }
        easy.set(HALYARD_OPT_HTTPHEADER, headers.pointer)
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero would mean "no limit" to libcurl.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 20 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
