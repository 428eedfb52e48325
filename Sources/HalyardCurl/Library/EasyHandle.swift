import CHalyardCurl
import HalyardHTTP

/// A libcurl easy handle, with typed setters and getters.
///
/// It belongs to one event loop and serves one transfer after another: making a handle costs about a seventh of a small
/// request.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// The buffer in which libcurl describes an error.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// The transfer that uses the handle. `nil` while the handle is unused, and for a connection whose bytes are handed
    /// over.
    var delegate: (any EasyHandleDelegate)?
    /// The number of the transfer or connection.
    var id: UInt64 = 0
    /// The first option that libcurl has rejected since the last reset.
    private(set) var rejectedOption: (option: halyard_option, result: halyard_result)?
    private var messageOptions = MessageOptions()
    /// Whether libcurl sends the current request again only if the server has refused its stream, and so has not
    /// processed it (RFC 9113 section 8.7).
    ///
    /// By default libcurl also sends it again if a reused connection ends before the response, although the server may
    /// have the request. The option turns that off for any protocol; it has no other effect on HTTP. A libcurl without
    /// RTSP rejects it.
    private(set) var resendsOnlyRefused = false
    /// The URL of the proxy, empty for none. `nil` for the proxy of the environment.
    var proxy: String? { didSet { setProxy() } }
    /// The path of the socket that replaces the network.
    var unixSocket: String?
    /// The header lines of the request. libcurl refers to them until the handle is removed from the multi handle.
    @exclusivity(unchecked) var headerLines = StringList()
    /// Whether the last transfer set an option that the next one does not set itself. The handle must then be reset.
    var needsReset = false
    /// Whether the handle is freed after its current transfer.
    var isSingleUse = false
    /// Protects against a bug of some releases; `nil` for releases without the bug.
    @exclusivity(unchecked) var foldGuard: FoldGuard?

    /// Whether the handle may serve another transfer.
    var isReusable: Bool { !isSingleUse && foldGuard?.isVerified ?? true }

    /// Makes a handle. `nil` if there is not enough memory.
    init?() {
        guard let pointer = halyard_easy_init() else { return nil }
        self.pointer = pointer
        if CurlLibrary.keepsStaleHeaderPointer { foldGuard = FoldGuard() }
        errorBuffer = .allocate(capacity: Int(HALYARD__ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(HALYARD__ERROR_SIZE))
    }

    /// Returns the handle that is the context of a C callback.
    static func fromContext(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// Returns the handle of a pointer from libcurl.
    static func fromPointer(_ pointer: UnsafeMutableRawPointer) -> EasyHandle? {
        halyard_easy_get_pointer(pointer, HALYARD_INFO_PRIVATE).map(fromContext)
    }

    /// Sets the callbacks and their context. A reset removes them.
    func installCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(HALYARD_OPT_PRIVATE, context)
        set(HALYARD_OPT_ERRORBUFFER, UnsafeMutableRawPointer(errorBuffer))
        set(HALYARD_OPT_HEADERFUNCTION, receiveHeader)
        set(HALYARD_OPT_HEADERDATA, context)
        set(HALYARD_OPT_WRITEFUNCTION, receiveBody)
        set(HALYARD_OPT_WRITEDATA, context)
        set(HALYARD_OPT_READFUNCTION, sendBody)
        set(HALYARD_OPT_READDATA, context)
        _ = halyard_easy_set_seek_callback(pointer, HALYARD_OPT_SEEKFUNCTION, rewindBody)
        set(HALYARD_OPT_SEEKDATA, context)
        if CurlLibrary.hasPrerequestCallback {
            _ = halyard_easy_set_prereq_callback(pointer, HALYARD_OPT_PREREQFUNCTION, connectionReady)
            set(HALYARD_OPT_PREREQDATA, context)
        }
        _ = halyard_easy_set_debug_callback(pointer, HALYARD_OPT_DEBUGFUNCTION, inspectRemark)
        set(HALYARD_OPT_DEBUGDATA, context)
    }

    /// Returns libcurl's description of the last transfer's error.
    func errorMessage(for result: halyard_result) -> String {
        if result == HALYARD_E_COULDNT_CONNECT, let unixSocket {
            let code = long(HALYARD_INFO_OS_ERRNO)
            return
                "the Unix socket \(unixSocket): \(code == 0 ? "it cannot be used" : systemReason(CInt(truncatingIfNeeded: code)))"
        }
        let text = String(cString: errorBuffer)
        return text.isEmpty ? String(cString: halyard_easy_strerror(result)) : text
    }

    func clearErrorMessage() { errorBuffer.pointee = 0 }

    /// Removes every option. Connections, caches and buffers remain.
    func reset() {
        halyard_easy_reset(pointer)
        rejectedOption = nil
        (messageOptions, resendsOnlyRefused, needsReset) = (MessageOptions(), false, false)
    }

    func free() {
        halyard_easy_cleanup(pointer)
        headerLines.free()
        errorBuffer.deallocate()
    }
}

extension EasyHandle {
    /// Options that are usually the same for consecutive requests.
    struct MessageOptions {
        var method = HTTPMethod.get
        var sendsBody = false
        /// Whether the request bypasses the engine's ``EasyHandle/proxy``.
        var bypassesProxy = false
        /// The version to use: one of the `HALYARD__HTTP_VERSION_*` values.
        ///
        /// It is HTTP/1.1 wherever no later version is possible. Otherwise a server whose status lines say HTTP/2 would make
        /// libcurl send several requests over one connection of HTTP/1.1 at a time, and mix up their responses.
        var version = HALYARD__HTTP_VERSION_1_1
        /// Whether the connection may be HTTP/2 or HTTP/3.
        var mayMultiplex: Bool { version != HALYARD__HTTP_VERSION_1_1 }
        /// Whether libcurl makes remarks; see ``Remark``.
        var isVerbose = false
    }

    /// Sets ``resendsOnlyRefused``.
    func setResendsOnlyRefused(_ isOn: Bool) {
        guard isOn != resendsOnlyRefused, CurlLibrary.distinguishesRefusedStreams else { return }
        let request = isOn ? HALYARD__RTSPREQ_RECEIVE : HALYARD__RTSPREQ_OPTIONS
        let result = halyard_easy_set_long(pointer, HALYARD_OPT_RTSP_REQUEST, Int(request))
        resendsOnlyRefused = isOn && result == HALYARD_E_OK
    }

    /// Sets the options that differ from those of the previous request.
    func set(_ new: MessageOptions) {
        if new.bypassesProxy != messageOptions.bypassesProxy {
            if new.bypassesProxy { set(HALYARD_OPT_PROXY, "") } else { setProxy() }
        }
        if new.sendsBody != messageOptions.sendsBody || new.method != messageOptions.method {
            set(HALYARD_OPT_HTTPGET, true)  // This resets the options of other methods.
            if new.sendsBody { set(HALYARD_OPT_UPLOAD, true) }
            if new.method == .head && !new.sendsBody { set(HALYARD_OPT_NOBODY, true) }
            // libcurl names these two methods itself.
            let isNamed = !new.sendsBody && (new.method == .get || new.method == .head)
            if isNamed {
                set(HALYARD_OPT_CUSTOMREQUEST, nil)
            } else {
                set(HALYARD_OPT_CUSTOMREQUEST, new.method.rawValue)
            }
        }
        if new.version != messageOptions.version {
            set(HALYARD_OPT_HTTP_VERSION, new.version)
            let size = new.mayMultiplex ? CurlLibrary.bufferSizeOverHTTP2 : CurlLibrary.bufferSize
            if size != CurlLibrary.bufferSize { setIfSupported(HALYARD_OPT_BUFFERSIZE, size) }
        }
        if new.isVerbose != messageOptions.isVerbose { set(HALYARD_OPT_VERBOSE, new.isVerbose) }
        messageOptions = new
    }

    private func setProxy() {
        if let proxy { set(HALYARD_OPT_PROXY, proxy) } else { set(HALYARD_OPT_PROXY, nil) }
    }

    /// Turns the fold guard on for the line after a status line, and off after that line.
    func updateFoldGuard(_ line: UnsafeRawBufferPointer, isStatus: Bool) {
        guard let isArmed = foldGuard?.isArmed, isStatus || isArmed else { return }
        if isStatus { foldGuard?.arm() } else { foldGuard?.disarm(line) }
        set(HALYARD_OPT_VERBOSE, isStatus || messageOptions.isVerbose)
    }
}

// Setters. The first option that libcurl rejects is kept in `rejectedOption`.
extension EasyHandle {
    /// Sets an option if libcurl supports it, and ignores a rejection.
    func setIfSupported(_ option: halyard_option, _ value: Int) { _ = halyard_easy_set_long(pointer, option, value) }
    func set(_ option: halyard_option, _ value: Int) { record(option, halyard_easy_set_long(pointer, option, value)) }
    func set(_ option: halyard_option, _ value: Int32) { set(option, Int(value)) }
    func set(_ option: halyard_option, _ value: Bool) { set(option, value ? 1 : 0) }
    func set(_ option: halyard_option, _ value: String) {
        // As an argument of the C function the string would be copied to an array.
        value.withCString { record(option, halyard_easy_set_string(pointer, option, $0)) }
    }
    func set(_ option: halyard_option, _ value: UnsafeMutableRawPointer?) {
        record(option, halyard_easy_set_pointer(pointer, option, value))
    }
    func set(_ option: halyard_option, offset: Int64) {
        record(option, halyard_easy_set_offset(pointer, option, offset))
    }
    func set(_ option: halyard_option, blob text: String) {
        var text = text
        record(option, text.withUTF8 { halyard_easy_set_blob(pointer, option, $0.baseAddress, $0.count) })
    }
    func set(_ option: halyard_option, _ callback: @escaping halyard_data_callback) {
        record(option, halyard_easy_set_data_callback(pointer, option, callback))
    }

    private func record(_ option: halyard_option, _ result: halyard_result) {
        if result != HALYARD_E_OK && rejectedOption == nil { rejectedOption = (option, result) }
    }
}

// Getters.
extension EasyHandle {
    func long(_ info: halyard_info) -> Int { halyard_easy_get_long(pointer, info) }
    func offset(_ info: halyard_info) -> Int64 { halyard_easy_get_offset(pointer, info) }
    func string(_ info: halyard_info) -> String? { halyard_easy_get_string(pointer, info).map { String(cString: $0) } }

    /// The remote address and port of the last connection; `nil` if there was none.
    var remoteAddress: String? {
        guard var host = string(HALYARD_INFO_PRIMARY_IP), !host.isEmpty else { return nil }
        let isIPv6 = host.withUTF8 { $0.contains(UInt8(ascii: ":")) }
        return (isIPv6 ? "[" + host + "]:" : host + ":") + String(long(HALYARD_INFO_PRIMARY_PORT))
    }
}

/// Receives libcurl's callbacks for one transfer.
///
/// libcurl makes these calls while it works on the transfer, on the thread that owns the event loop, one at a time.
protocol EasyHandleDelegate: AnyObject {
    /// Whether the connection may be HTTP/2, on which a server may send at any time. `true` while this is not known.
    var mayBeMultiplexed: Bool { get }

    /// Inspects a remark of libcurl's. It is called only while verbose mode is on.
    func inspect(remark: UnsafeRawBufferPointer)

    /// Inspects a header line before libcurl parses it. It is called only while verbose mode is on.
    func inspect(headerLine line: UnsafeMutableRawBufferPointer)

    /// Receives a status line, a header field, or the empty line at the end. Trailers may arrive several at a time.
    func receive(headerLine line: UnsafeRawBufferPointer) -> CallbackResult

    /// Receives bytes of the response's body. After `pause` libcurl delivers the same bytes again.
    func receive(body bytes: UnsafeRawBufferPointer) -> CallbackResult

    /// Writes the next bytes of the request's body into a buffer.
    ///
    /// - Returns: The number of bytes, and the result. No bytes and `proceed` mean the end of the body.
    func supplyBody(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, result: CallbackResult)

    /// Moves back in the request's body, to send it again from there.
    func rewind(to offset: Int64) -> Bool

    /// Decides whether the request may be sent over a connection that is ready.
    func shouldSend(toAddress address: UnsafePointer<CChar>?, port: CInt, localPort: CInt) -> Bool
}

/// The result of a libcurl callback.
enum CallbackResult { case proceed, pause, abort }
