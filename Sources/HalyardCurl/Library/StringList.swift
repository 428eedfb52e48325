import CHalyardCurl
import HalyardHTTP

/// A `curl_slist`: the form in which libcurl takes header lines and host entries. The owner frees it.
struct StringList {
    private(set) var pointer: UnsafeMutableRawPointer?
    /// The first entry of the list that was attached at the end and has another owner.
    private var sharedTail: UnsafeMutableRawPointer?

    init(_ lines: [String] = []) { for line in lines { append(line) } }

    /// Appends a header line.
    mutating func append(_ field: HTTPHeaders.Field) {
        var (name, value) = (field.name.rawValue, field.value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                pointer =
                    halyard_slist_append_header(pointer, name.baseAddress, name.count, value.baseAddress, value.count)
                    ?? pointer
            }
        }
    }

    mutating func append(_ line: String) {
        line.withCString { pointer = halyard_slist_append(pointer, $0) ?? pointer }
    }

    /// Attaches another list at the end without copying it. That list must live longer, and nothing can be appended
    /// afterwards.
    mutating func attachTail(_ list: StringList) {
        sharedTail = list.pointer
        pointer = halyard_slist_attach_tail(pointer, sharedTail)
    }

    /// Frees the list, except for an attached one.
    mutating func free() {
        if sharedTail != nil { pointer = halyard_slist_detach_tail(pointer, sharedTail) }
        halyard_slist_free(pointer)
        (pointer, sharedTail) = (nil, nil)
    }
}
