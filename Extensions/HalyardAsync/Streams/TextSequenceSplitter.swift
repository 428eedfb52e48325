import HalyardFoundation
import HalyardHTTP

/// Splits a JSON text sequence (RFC 7464) into its texts. It has no side effects.
///
/// A text ends with the line in which its value ends, so that it need not wait for the next separator. The result does
/// not depend on how the bytes arrive.
struct TextSequenceSplitter {
    /// A text without blanks around it.
    struct Text {
        let bytes: ArraySlice<UInt8>
        /// Why the text is not a value, if its bytes do not show it.
        let problem: Problem?
    }

    enum Problem: String {
        /// The value may be incomplete: a number, `true`, `false` or `null` without white space after it (section 2.4).
        case cutOff = "the text is cut off"
        case noSeparator = "the text has no record separator before it"
    }

    private enum State {
        /// Before the first byte of a text.
        case before
        case value(JSONValueSkipper)
        /// After the value, in its last line.
        case after
        /// In bytes that are not one JSON value. They end with the next separator, and a decoder refuses them.
        case invalid
    }

    private var bytes: [UInt8] = []
    private var position = 0
    /// The text so far, without blanks at its end.
    private var text = 0..<0
    private var state = State.before
    /// Whether a text must begin with a separator, and whether the present one has begun without it.
    private var needsSeparator = true
    private var lacksSeparator = false

    /// The number of bytes of an incomplete text.
    var pending: Int { text.count }

    /// Appends bytes.
    mutating func append(_ chunk: Data) {
        let kept = text.isEmpty ? position : text.lowerBound
        bytes.removeSubrange(..<kept)
        position -= kept
        text = text.isEmpty ? 0..<0 : 0..<(text.upperBound - kept)
        bytes.append(contentsOf: chunk)
    }

    /// Returns the next text; `nil` if more bytes are needed.
    mutating func next() -> Text? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == .recordSeparator {
                position += 1
                let last = take()
                needsSeparator = false
                if let last { return last }
                continue
            }
            if case .value(let skipper) = state {
                readValue(skipper)
                continue
            }
            if case .after = state, byte == UInt8(ascii: "\n") {
                position += 1
                return take()
            }
            read(byte)
        }
        return nil
    }

    /// Returns the last text, which no separator follows.
    mutating func finish() -> Text? { take() }

    /// Reads a byte outside of a value.
    private mutating func read(_ byte: UInt8) {
        guard !byte.isJSONBlank else {
            position += 1
            return
        }
        if case .before = state, !needsSeparator {
            text = position..<position
            state = .value(JSONValueSkipper(byte))
            return
        }
        if case .before = state {
            text = position..<position
            lacksSeparator = true
        }
        state = .invalid
        position += 1
        text = text.lowerBound..<position
    }

    /// Reads the rest of a value up to its end, or up to the next separator.
    private mutating func readValue(_ begun: JSONValueSkipper) {
        var skipper = begun
        let stop = bytes[position...].firstIndex(of: .recordSeparator) ?? bytes.count
        let result = bytes.withUnsafeBufferPointer {
            skipper.read(UnsafeBufferPointer(rebasing: $0[position..<stop]))
        }
        switch result {
        case .end(let offset) where position + offset > text.lowerBound:
            position += offset
            state = .after
        case .incomplete:
            position = stop
            state = .value(skipper)
        case .end, .unbalanced, .tooDeep:
            position += 1
            state = .invalid
        }
        let end = bytes[text.lowerBound..<position].lastIndex { !$0.isJSONBlank }
        text = text.lowerBound..<(end.map { $0 + 1 } ?? text.lowerBound)
    }

    /// Ends the text. Returns `nil` if there is none.
    private mutating func take() -> Text? {
        defer {
            text = 0..<0
            state = .before
            needsSeparator = true
            lacksSeparator = false
        }
        guard !text.isEmpty else { return nil }
        var problem: Problem? = lacksSeparator ? .noSeparator : nil
        if case .value = state { problem = .cutOff }
        return Text(bytes: bytes[text], problem: problem)
    }
}

extension UInt8 {
    /// The byte that begins a JSON text in a sequence (RFC 7464).
    static let recordSeparator: UInt8 = 0x1E

    /// Whether the byte is white space of JSON (RFC 8259 section 2).
    var isJSONBlank: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
