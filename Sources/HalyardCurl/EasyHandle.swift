import CHalyardCurl

/// One of libcurl's easy handles, with its setters in Swift. It belongs to the loop thread.
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = halyard_easy_init() else { return nil }
        self.pointer = pointer
    }

    init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    func set(_ option: halyard_option, _ value: Int) { _ = halyard_easy_set_long(pointer, option, value) }
    func set(_ option: halyard_option, _ value: Bool) { set(option, value ? 1 : 0) }
    func set(_ option: halyard_option, _ value: String) { _ = halyard_easy_set_string(pointer, option, value) }
    func set(_ option: halyard_option, _ value: UnsafeMutableRawPointer?) {
        _ = halyard_easy_set_pointer(pointer, option, value)
    }
    func set(_ option: halyard_option, offset: Int64) { _ = halyard_easy_set_offset(pointer, option, offset) }
    func set(_ option: halyard_option, _ callback: @escaping halyard_data_callback) {
        _ = halyard_easy_set_data_callback(pointer, option, callback)
    }
    func set(_ option: halyard_option, _ callback: @escaping halyard_seek_callback) {
        _ = halyard_easy_set_seek_callback(pointer, option, callback)
    }

    func long(_ info: halyard_info) -> Int { halyard_easy_get_long(pointer, info) }

    /// Forgets every option; keeps what makes the handle quick to use again.
    func reset() { halyard_easy_reset(pointer) }
    func free() { halyard_easy_cleanup(pointer) }
}

/// Header lines as libcurl wants them.
struct HeaderList {
    private(set) var pointer: UnsafeMutableRawPointer?

    mutating func append(_ line: String) { pointer = halyard_list_append(pointer, line) ?? pointer }
    func free() { halyard_list_free(pointer) }
}
