import CHalyardCurl
import HalyardHTTP

/// One of libcurl's easy handles, with its setters in Swift. It belongs to the loop, and works for one transfer
/// after another: making one costs about a seventh of a small request.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    /// Where libcurl writes what went wrong.
    private let errorText: UnsafeMutablePointer<CChar>
    /// Whom it works for.
    var transfer: Transfer?
    /// The first option that libcurl did not take.
    private(set) var refusal: (option: halyard_option, result: halyard_result)?
    private var options = Options()
    /// Whether the last transfer changed what the next one does not set for itself, and a reset sets right.
    var isSpoilt = false
    /// Whether it is not to be used again, whatever becomes of its transfer.
    var isSpent = false
    /// What stands between a server and what libcurl keeps of the transfer before, where it keeps that too long.
    @exclusivity(unchecked) var foldGuard: FoldGuard?

    /// Whether it may work for another transfer.
    var isReusable: Bool { !isSpent && foldGuard?.isProven ?? true }

    init?() {
        guard let pointer = halyard_easy_init() else { return nil }
        self.pointer = pointer
        if CurlLibrary.keepsStaleFields { foldGuard = FoldGuard() }
        errorText = .allocate(capacity: Int(HALYARD__ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(HALYARD__ERROR_SIZE))
    }

    /// The handle that a callback, or libcurl's list of those that are done, speaks of.
    static func of(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }

    static func of(easy pointer: UnsafeMutableRawPointer) -> EasyHandle? {
        halyard_easy_get_pointer(pointer, HALYARD_INFO_PRIVATE).map(of)
    }

    /// Sets what every transfer needs, whatever it is: who is called back, and with what.
    func connect() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        set(HALYARD_OPT_PRIVATE, me)
        set(HALYARD_OPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        set(HALYARD_OPT_HEADERFUNCTION, receiveHeader)
        set(HALYARD_OPT_HEADERDATA, me)
        set(HALYARD_OPT_WRITEFUNCTION, receiveBody)
        set(HALYARD_OPT_WRITEDATA, me)
        set(HALYARD_OPT_READFUNCTION, sendBody)
        set(HALYARD_OPT_READDATA, me)
        _ = halyard_easy_set_seek_callback(pointer, HALYARD_OPT_SEEKFUNCTION, rewindBody)
        set(HALYARD_OPT_SEEKDATA, me)
        if CurlLibrary.asksBeforeSending {
            _ = halyard_easy_set_prereq_callback(pointer, HALYARD_OPT_PREREQFUNCTION, aboutToSend)
            set(HALYARD_OPT_PREREQDATA, me)
        }
        if foldGuard != nil {
            _ = halyard_easy_set_debug_callback(pointer, HALYARD_OPT_DEBUGFUNCTION, showLine)
            set(HALYARD_OPT_DEBUGDATA, me)
        }
    }

    /// What libcurl said went wrong with the last transfer, in words.
    func words(for result: halyard_result) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: halyard_easy_strerror(result)) : text
    }

    func forgetWords() { errorText.pointee = 0 }

    /// Forgets every option; keeps what makes the handle quick to use again.
    func reset() {
        halyard_easy_reset(pointer)
        refusal = nil
        options = Options()
        isSpoilt = false
    }

    func free() {
        halyard_easy_cleanup(pointer)
        errorText.deallocate()
    }
}

extension EasyHandle {
    /// The options in which one request after another is mostly alike.
    struct Options {
        var method = HTTPMethod.get
        var sendsBody = false
        /// Whether it goes past the proxy of the environment.
        var isDirect = false
    }

    /// Tells libcurl of what differs from the request before.
    func set(_ new: Options) {
        if new.isDirect != options.isDirect {
            if new.isDirect { set(HALYARD_OPT_PROXY, "") } else { set(HALYARD_OPT_PROXY, nil) }
        }
        if new.sendsBody != options.sendsBody || new.method != options.method {
            set(HALYARD_OPT_HTTPGET, true)  // takes back whatever else it was
            if new.sendsBody { set(HALYARD_OPT_UPLOAD, true) }
            if new.method == .head && !new.sendsBody { set(HALYARD_OPT_NOBODY, true) }
            // These libcurl names by itself.
            let isNamed = !new.sendsBody && (new.method == .get || new.method == .head)
            if isNamed { set(HALYARD_OPT_CUSTOMREQUEST, nil) } else { set(HALYARD_OPT_CUSTOMREQUEST, new.method.name) }
        }
        options = new
    }
}

extension EasyHandle {
    /// Sees to the line after a status line, given each line that libcurl hands over.
    func guardFields(_ line: UnsafeRawBufferPointer, isStatus: Bool) {
        guard let isUp = foldGuard?.isUp, isStatus || isUp else { return }
        if isStatus { foldGuard?.raise() } else { foldGuard?.lower(line) }
        set(HALYARD_OPT_VERBOSE, isStatus)
    }
}

extension EasyHandle {
    /// Sets an option that libcurl may refuse without harm.
    func propose(_ option: halyard_option, _ value: Int) { _ = halyard_easy_set_long(pointer, option, value) }
    func set(_ option: halyard_option, _ value: Int) { note(option, halyard_easy_set_long(pointer, option, value)) }
    func set(_ option: halyard_option, _ value: Int32) { set(option, Int(value)) }
    func set(_ option: halyard_option, _ value: Bool) { set(option, value ? 1 : 0) }
    func set(_ option: halyard_option, _ value: String) {
        // Not as an argument of the C function: that copies it to an array.
        value.withCString { note(option, halyard_easy_set_string(pointer, option, $0)) }
    }
    func set(_ option: halyard_option, _ value: UnsafeMutableRawPointer?) {
        note(option, halyard_easy_set_pointer(pointer, option, value))
    }
    func set(_ option: halyard_option, offset: Int64) {
        note(option, halyard_easy_set_offset(pointer, option, offset))
    }
    func set(_ option: halyard_option, blob text: String) {
        var text = text
        note(option, text.withUTF8 { halyard_easy_set_blob(pointer, option, $0.baseAddress, $0.count) })
    }
    func set(_ option: halyard_option, _ callback: @escaping halyard_data_callback) {
        note(option, halyard_easy_set_data_callback(pointer, option, callback))
    }

    func long(_ info: halyard_info) -> Int { halyard_easy_get_long(pointer, info) }
    func offset(_ info: halyard_info) -> Int64 { halyard_easy_get_offset(pointer, info) }
    func string(_ info: halyard_info) -> String? { halyard_easy_get_string(pointer, info).map { String(cString: $0) } }

    /// Where its connection went, address and port; `nil` without one.
    var remoteAddress: String? {
        guard var host = string(HALYARD_INFO_PRIMARY_IP), !host.isEmpty else { return nil }
        let isIPv6 = host.withUTF8 { $0.contains(UInt8(ascii: ":")) }
        return (isIPv6 ? "[" + host + "]:" : host + ":") + String(long(HALYARD_INFO_PRIMARY_PORT))
    }

    private func note(_ option: halyard_option, _ result: halyard_result) {
        if result != HALYARD_E_OK && refusal == nil { refusal = (option, result) }
    }
}

/// Header lines, or host entries, as libcurl wants them.
struct LineList {
    private(set) var pointer: UnsafeMutableRawPointer?
    /// The first of the lines that are another list's.
    private var end: UnsafeMutableRawPointer?

    init(_ lines: [String] = []) { for line in lines { append(line) } }

    mutating func append(_ field: HTTPHeaders.Field) {
        var (name, value) = (field.name.rawValue, field.value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                pointer =
                    halyard_list_append_field(pointer, name.baseAddress, name.count, value.baseAddress, value.count)
                    ?? pointer
            }
        }
    }

    mutating func append(_ line: String) {
        line.withCString { pointer = halyard_list_append(pointer, $0) ?? pointer }
    }

    /// Goes on with the lines of a list that lives longer. Nothing can be added after.
    mutating func end(with list: LineList) {
        end = list.pointer
        pointer = halyard_list_join(pointer, end)
    }

    mutating func free() {
        if end != nil { pointer = halyard_list_part(pointer, end) }
        halyard_list_free(pointer)
        (pointer, end) = (nil, nil)
    }
}
