import CHalyardCurl
import HalyardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request on its way: what libcurl is told, and what it has told so far. It lives on the loop thread.
final class Transfer {
    let id: UInt64
    let easy: EasyHandle
    let request: HTTPRequest
    private let context: TransferContext
    private let continuation: CheckedContinuation<HTTPResponse, any Error>
    private var headers = HeaderList()
    private let errorText: UnsafeMutablePointer<CChar>

    private var head = ResponseHead()
    private var body = Data()
    private var sent = 0
    private var failure: HTTPError?
    /// A HEAD with a body: libcurl would wait for a response body that never comes.
    private var isOverEarly = false

    private let deadline: Instant?
    private var lastActivity: Instant

    init(_ start: Start, easy: EasyHandle, now: Instant) {
        id = start.id
        request = start.request
        context = start.context
        continuation = start.continuation
        self.easy = easy
        deadline = context.timeout.flatMap(now.advanced(by:))
        lastActivity = now
        errorText = .allocate(capacity: Int(HALYARD__ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(HALYARD__ERROR_SIZE))
        configure()
    }

    deinit { errorText.deallocate() }

    /// The transfer that a handle works for.
    static func of(_ easy: EasyHandle) -> Transfer? {
        halyard_easy_get_pointer(easy.pointer, HALYARD_INFO_PRIVATE).map(Transfer.of)
    }

    static func of(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    func resume(with outcome: Result<HTTPResponse, any Error>) { continuation.resume(with: outcome) }

    /// Takes back what libcurl was lent, once the handle is off the loop.
    func release() {
        easy.reset()
        headers.free()
    }
}

// What libcurl is told.
extension Transfer {
    private func configure() {
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
        // A method that is about its body says so even when that is empty (RFC 9110 section 8.6).
        let length = request.body?.length ?? ([.post, .put, .patch].contains(request.method) ? 0 : nil)
        if let length {
            easy.set(HALYARD_OPT_UPLOAD, true)
            easy.set(HALYARD_OPT_INFILESIZE_LARGE, offset: length)
            easy.set(HALYARD_OPT_READFUNCTION, sendBody)
            easy.set(HALYARD_OPT_READDATA, me)
            easy.set(HALYARD_OPT_SEEKFUNCTION, rewindBody)
            easy.set(HALYARD_OPT_SEEKDATA, me)
            headers.append("Expect:")  // never wait for a 100
        }
        if request.method == .head && length == nil {
            easy.set(HALYARD_OPT_NOBODY, true)
        } else if request.method != .get || length != nil {
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

// What libcurl tells. Each returns whether the transfer may go on.
extension Transfer {
    func received(headerLine line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        do throws(HTTPError) {
            try head.read(line: line)
            if head.isFinal, let length = head.contentLength { try check(length: length) }
            isOverEarly = head.isFinal && request.method == .head && request.body != nil
            return !isOverEarly
        } catch { return fail(error) }
    }

    func received(body bytes: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        do throws(HTTPError) {
            try check(length: body.count + bytes.count)
            body.append(contentsOf: bytes)
            return true
        } catch { return fail(error) }
    }

    /// Gives the next bytes of the request's body, at most as many as there is room for.
    func send(into room: UnsafeMutableRawBufferPointer) -> Int {
        lastActivity = .now
        guard let bytes = request.body?.bytes else { return 0 }
        let count = min(room.count, bytes.count - sent)
        let start = bytes.startIndex + sent
        bytes.copyBytes(to: room, from: start..<(start + count))
        sent += count
        return count
    }

    /// Goes back to where libcurl wants to start again: a connection kept too long broke before it was used.
    func rewind(to offset: Int) { sent = offset }

    private func check(length: Int) throws(HTTPError) {
        let limit = request.destination.limit
        if length > limit && request.method != .head { throw HTTPError(.bodyTooLarge(limit: limit)) }
    }

    private func fail(_ error: HTTPError) -> Bool {
        failure = failure ?? error
        return false
    }
}

// How it ended.
extension Transfer {
    func outcome(_ result: halyard_result) -> Result<HTTPResponse, any Error> {
        if let error = failure ?? (isOverEarly ? nil : error(for: result)) { return .failure(error.of(request)) }
        return .success(HTTPResponse(status: head.status, headers: head.headers, data: body, url: request.url))
    }

    private func error(for result: halyard_result) -> HTTPError? {
        guard result != HALYARD_E_OK else {
            // libcurl takes a connection that closes inside the header block for the end of a response.
            return head.isFinal ? nil : HTTPError(.connectionLost, reason: "it closed inside the response's headers")
        }
        let text = String(cString: errorText)
        let words = text.isEmpty ? String(cString: halyard_easy_strerror(result)) : text
        return HTTPError.of(result, words, request.origin, verified: easy.long(HALYARD_INFO_SSL_VERIFYRESULT))
    }

    /// When the time may next be over.
    var expiry: Instant? {
        let idle = context.idleTimeout.flatMap(lastActivity.advanced(by:))
        guard let deadline, let idle else { return deadline ?? idle }
        return min(deadline, idle)
    }

    func overdue(_ now: Instant) -> HTTPError? {
        if let deadline, deadline <= now {
            return HTTPError(.timedOut, reason: "it took longer than \(words(context.timeout))", request: request)
        }
        if let idle = context.idleTimeout.flatMap(lastActivity.advanced(by:)), idle <= now {
            return HTTPError(.timedOut, reason: "nothing moved for \(words(context.idleTimeout))", request: request)
        }
        return nil
    }

    private func words(_ duration: Duration?) -> String { duration.map { "\($0)" } ?? "" }
}

extension Duration {
    /// Whole milliseconds, at least one: zero would mean "no limit" to libcurl.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 1 << 20 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
