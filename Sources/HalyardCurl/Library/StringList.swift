import CHalyardCurl
import HalyardHTTP

/// A `curl_slist`: the form in which libcurl takes header lines and host entries. The owner frees it.
///
/// A list that is emptied keeps its memory for other lines.
struct StringList {
    /// The first line that has memory.
    private var first: UnsafeMutablePointer<halyard_line>?
    /// The last line of the list. `nil` for an empty list.
    private var last: UnsafeMutablePointer<halyard_line>?

    /// The number of bytes of the list's lines.
    private(set) var size = 0

    init(_ lines: [String] = []) { for line in lines { append(line) } }

    /// The list for libcurl. It changes with the next call.
    var pointer: UnsafeMutableRawPointer? { last == nil ? nil : UnsafeMutableRawPointer(first) }

    /// Appends a header line.
    mutating func append(_ field: HTTPHeaders.Field) {
        var (name, value) = (field.name.rawValue, field.value)
        size += name.utf8.count + value.utf8.count
        name.withUTF8 { name in
            value.withUTF8 { value in
                last = halyard_line_append(&first, last, name.baseAddress, name.count, value.baseAddress, value.count)
            }
        }
    }

    mutating func append(_ line: String) {
        var line = line
        size += line.utf8.count
        line.withUTF8 { last = halyard_line_append(&first, last, $0.baseAddress, $0.count, nil, 0) }
    }

    mutating func removeAll() { (last, size) = (nil, 0) }

    mutating func free() {
        halyard_lines_free(first)
        (first, last, size) = (nil, nil, 0)
    }
}
