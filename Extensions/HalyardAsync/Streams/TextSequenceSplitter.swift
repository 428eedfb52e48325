import HalyardFoundation
import HalyardHTTP

/// Splits a JSON text sequence (RFC 7464) into its texts.
///
/// A text ends with the line in which its value ends, so that it need not wait for the next separator. The result does
/// not depend on how the bytes arrive.
struct TextSequenceSplitter {
    /// A text without blanks around it.
    struct Text {
        let bytes: ArraySlice<UInt8>
        /// Why the text is not a value, if its bytes do not show it.
        var problem: Problem?
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

    private var window = ByteWindow(skipsMark: false)
    private var isFinished = false
    /// The text so far, without blanks at its end.
    private var text = 0..<0
    private var state = State.before
    /// Whether a text must begin with a separator, and whether the present one has begun without it.
    private var needsSeparator = true
    private var lacksSeparator = false

    /// The number of bytes of an incomplete text.
    var pending: Int { text.count }

    /// Appends bytes.
    mutating func append(_ chunk: Data) { window.append(chunk, keepingFrom: text.isEmpty ? nil : text.lowerBound) }

    /// Returns the next text; `nil` if more bytes are needed. After ``finish()`` the last text needs no separator.
    mutating func next() -> Text? {
        while window.position < window.end {
            let byte = window[window.position]
            if byte == .recordSeparator {
                window.position += 1
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
                window.position += 1
                return take()
            }
            read(byte)
        }
        return isFinished ? take() : nil
    }

    /// Ends the last text.
    mutating func finish() { isFinished = true }

    /// Reads a byte outside of a value.
    private mutating func read(_ byte: UInt8) {
        guard !byte.isJSONBlank else {
            window.position += 1
            return
        }
        if case .before = state, !needsSeparator {
            text = window.position..<window.position
            state = .value(JSONValueSkipper(byte))
            return
        }
        if case .before = state {
            text = window.position..<window.position
            lacksSeparator = true
        }
        state = .invalid
        window.position += 1
        text = text.lowerBound..<window.position
    }

    /// Reads the rest of a value up to its end, or up to the next separator.
    private mutating func readValue(_ begun: JSONValueSkipper) {
        var skipper = begun
        let start = window.position
        let stop =
            window.withBytes(from: start) { $0.firstIndex(of: .recordSeparator) }.map { start + $0 } ?? window.end
        let result = window.withBytes(from: start, to: stop) { skipper.read($0) }
        switch result {
        case .end(let offset) where window.position + offset > text.lowerBound:
            window.position += offset
            state = .after
        case .incomplete:
            window.position = stop
            state = .value(skipper)
        case .end, .unbalanced, .tooDeep:
            window.position += 1
            state = .invalid
        }
        let last = window.withBytes(from: text.lowerBound, to: window.position) { $0.lastIndex { !$0.isJSONBlank } }
        text = text.lowerBound..<(text.lowerBound + (last.map { $0 + 1 } ?? 0))
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
        return Text(bytes: window[text], problem: problem)
    }
}

extension UInt8 {
    /// The byte that begins a JSON text in a sequence (RFC 7464).
    static let recordSeparator: UInt8 = 0x1E

    /// Whether the byte is white space of JSON (RFC 8259 section 2).
    var isJSONBlank: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
