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
        var problem: String?
    }

    private enum State {
        case value(JSONValueSkipper)
        /// After the value, in its last line.
        case after
        /// In bytes that are not one JSON value. They end with the next separator, and a decoder refuses them.
        case invalid
    }

    private static let blankLimit = 64 << 10
    private var window = ByteWindow(skipsMark: false)
    private var isFinished = false
    /// The text so far, without blanks at its end.
    private var text = 0..<0
    private var state = State.invalid
    /// Whether a separator is before the text.
    private var hasSeparator = false

    /// The number of bytes of an incomplete text. Blanks after it may become a part of it, and are kept: they count from
    /// 64 KiB.
    var pending: Int { text.isEmpty ? 0 : max(text.count, window.position - text.lowerBound - Self.blankLimit) }

    mutating func append(_ chunk: Data) { window.append(chunk, keepingFrom: text.isEmpty ? nil : text.lowerBound) }

    /// Returns the next text; `nil` if more bytes are needed. After ``finish()`` the last text needs no separator.
    mutating func next() -> Text? {
        while window.position < window.end {
            let stop = window.find { $0 == .recordSeparator || $0 == UInt8(ascii: "\n") }
            let isSeparator = stop.map { window[$0] == .recordSeparator } ?? false
            read(to: stop.map { isSeparator ? $0 : $0 + 1 } ?? window.end)
            if isSeparator {
                window.position += 1
                defer { hasSeparator = true }
                if let last = take() { return last }
            } else if stop != nil, case .after = state {
                return take()
            }
        }
        return isFinished ? take() : nil
    }

    /// Ends the last text.
    mutating func finish() { isFinished = true }

    /// Reads bytes up to the end of a line, or to the next separator.
    private mutating func read(to end: Int) {
        var start = window.position
        window.position = end
        let first = first(in: start, end)
        if text.isEmpty {
            guard let first else { return }
            (start, text) = (first, first..<first)
            state = hasSeparator ? .value(JSONValueSkipper(window[first])) : .invalid
        }
        switch state {
        case .value(var skipper):
            switch window.withBytes(from: start, to: end, { skipper.read($0) }) {
            case .incomplete: state = .value(skipper)
            case .end(let offset) where start + offset > text.lowerBound:
                state = self.first(in: start + offset, end) == nil ? .after : .invalid
            case .end, .unbalanced, .tooDeep: state = .invalid
            }
        case .after, .invalid: if first != nil { state = .invalid }
        }
        let last = window.withBytes(from: start, to: end) { $0.lastIndex { !$0.isJSONBlank } }
        if let last { text = text.lowerBound..<(start + last + 1) }
    }

    /// Returns the place of the first byte that is not a blank.
    private func first(in start: Int, _ end: Int) -> Int? {
        window.withBytes(from: start, to: end) { $0.firstIndex { !$0.isJSONBlank } }.map { start + $0 }
    }

    /// Ends the text. Returns `nil` if there is none.
    private mutating func take() -> Text? {
        defer { (text, state, hasSeparator) = (0..<0, .invalid, false) }
        guard !text.isEmpty else { return nil }
        let isCutOff = if case .value = state { true } else { false }
        // A number, `true`, `false` or `null` without white space after it may be incomplete (section 2.4).
        let problem = isCutOff ? "the text is cut off" : "the text has no record separator before it"
        return Text(bytes: window[text], problem: isCutOff || !hasSeparator ? problem : nil)
    }
}

extension UInt8 {
    /// The byte that begins a JSON text in a sequence (RFC 7464).
    static let recordSeparator: UInt8 = 0x1E

    /// Whether the byte is white space of JSON (RFC 8259 section 2).
    var isJSONBlank: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
