import HalyardFoundation
import HalyardSystem

// The unsafe memory of the object coders is in this file. Bytes are read, and words are read and written, through the
// pointers below without checks in release builds. It is sound because
// - the scanner checks each position against the end of the text before it reads a byte there;
// - every other position and index comes from the words that the scanner has written;
// - a document owns its words, and the bytes are those of the caller for as long as the caller's closure runs. A
//   document that outlives the closure has a copy of them.
// A debug build checks every access.

/// The bytes of a JSON text.
struct JSONBytes {
    private let start: UnsafePointer<UInt8>
    let count: Int

    init(_ buffer: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address. Then no byte is read.
        start = buffer.baseAddress ?? UnsafePointer(Self.nothing)
        count = buffer.count
    }

    /// A byte for the address of an empty text. `nonisolated(unsafe)` is sound: it is never written.
    private nonisolated(unsafe) static let nothing = {
        let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return byte
    }()

    @inline(__always)
    subscript(position: Int) -> UInt8 {
        assert(position >= 0 && position < count)
        return start[position]
    }

    func suffix(from position: Int) -> JSONBytes { JSONBytes(buffer(at: position, count: count - position)) }

    func prefix(_ length: Int) -> JSONBytes { JSONBytes(buffer(at: 0, count: length)) }

    /// The length of the byte order mark at the start, which is not a part of the JSON.
    var markLength: Int { count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF ? 3 : 0 }

    /// Returns eight bytes as a little-endian word.
    @inline(__always)
    func eight(at position: Int) -> UInt64 {
        assert(position >= 0 && position + 8 <= count)
        return UInt64(littleEndian: UnsafeRawPointer(start + position).loadUnaligned(as: UInt64.self))
    }

    /// Returns four bytes as a little-endian word.
    @inline(__always)
    func four(at position: Int) -> UInt32 {
        assert(position >= 0 && position + 4 <= count)
        return UInt32(littleEndian: UnsafeRawPointer(start + position).loadUnaligned(as: UInt32.self))
    }

    @inline(__always)
    func buffer(at position: Int, count length: Int) -> UnsafeBufferPointer<UInt8> {
        assert(position >= 0 && length >= 0 && position + length <= count)
        return UnsafeBufferPointer(start: start + position, count: length)
    }

    /// Returns a string of bytes that are UTF-8.
    @inline(__always)
    func string(at position: Int, count length: Int) -> String {
        String(decoding: buffer(at: position, count: length), as: UTF8.self)
    }

    /// Returns whether the bytes from a position are those of another text.
    @inline(__always)
    func match(_ other: JSONBytes, at position: Int) -> Bool {
        let length = other.count
        if length >= 8 {
            guard eight(at: position) == other.eight(at: 0) else { return false }
            guard eight(at: position + length - 8) == other.eight(at: length - 8) else { return false }
            return length <= 16 || memcmp(start + position + 8, other.start + 8, length - 16) == 0
        }
        if length >= 4 {
            return four(at: position) == other.four(at: 0)
                && four(at: position + length - 4) == other.four(at: length - 4)
        }
        for offset in 0..<length where self[position + offset] != other[offset] { return false }
        return true
    }

    /// Returns whether the bytes of a range come before those of another one.
    @inline(__always)
    func precedes(_ range: Range<Int>, _ other: Range<Int>) -> Bool {
        let order = memcmp(start + range.lowerBound, start + other.lowerBound, min(range.count, other.count))
        return order < 0 || order == 0 && range.count < other.count
    }

    /// Returns a copy that its owner must deallocate.
    func copied() -> (bytes: JSONBytes, memory: UnsafeMutablePointer<UInt8>) {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
        memory.update(from: start, count: count)
        return (JSONBytes(UnsafeBufferPointer(start: memory, count: count)), memory)
    }
}

/// Elements that grow while they are written.
struct GrowingBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// There is room for eight more than the capacity.
    private var start: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity + 8)
    }

    deinit { start.deallocate() }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return start[index]
        }
        set {
            assert(index >= 0 && index < count)
            start[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow(by: 1) }
        start[count] = element
        count += 1
    }

    /// Reserves memory, lets a closure write to it, and appends as many elements as it returns.
    @inline(__always)
    mutating func append(reserving length: Int, _ write: (UnsafeMutablePointer<Element>) -> Int) {
        if capacity - count < length { grow(by: length) }
        count += write(start + count)
        assert(count <= capacity)
    }

    @inline(__always)
    mutating func removeAll(from position: Int) {
        assert(position >= 0 && position <= count)
        count = position
    }

    /// Appends a copy of elements that are here already.
    mutating func appendOwn(from position: Int, count length: Int) {
        assert(position >= 0 && length >= 0 && position + length <= count)
        if capacity - count < length { grow(by: length) }
        (start + count).update(from: start + position, count: length)
        count += length
    }

    /// Moves the elements from a position on to an earlier one, over those that are there, and ends after them.
    mutating func moveEnd(from position: Int, to earlier: Int) {
        assert(earlier >= 0 && earlier <= position && position <= count)
        (start + earlier).update(from: start + position, count: count - position)
        count -= position - earlier
    }

    @inline(never)
    private mutating func grow(by length: Int) {
        let larger = max(capacity * 2, count + length)
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: larger + 8)
        copy.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (copy, larger)
    }

    /// Returns the elements. The caller deallocates them.
    consuming func release() -> (words: UnsafeMutablePointer<Element>, count: Int) {
        let result = (start, count)
        discard self
        return result
    }
}

typealias WordBuffer = GrowingBuffer<UInt64>
typealias ByteBuffer = GrowingBuffer<UInt8>

extension GrowingBuffer where Element == UInt8 {
    /// The bytes so far. They are valid until the next change.
    @inline(__always)
    var bytes: JSONBytes { JSONBytes(UnsafeBufferPointer(start: start, count: count)) }

    var data: Data { Data(bytes: start, count: count) }
    var text: String { bytes.string(at: 0, count: count) }

    func withBytes<Result>(_ use: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        use(UnsafeBufferPointer(start: start, count: count))
    }

    mutating func append(_ other: borrowing ByteBuffer) {
        append(UnsafeBufferPointer(start: other.start, count: other.count))
    }

    /// Returns the first eight bytes of a range as a big-endian word. A shorter range is padded with zeros.
    @inline(__always)
    func prefix(_ range: Range<Int>) -> UInt64 {
        assert(range.lowerBound >= 0 && range.upperBound <= count)
        // There are eight bytes more than the capacity.
        let eight = UnsafeRawPointer(start + range.lowerBound).loadUnaligned(as: UInt64.self)
        let bytes = UInt64(bigEndian: eight)
        return range.count >= 8 ? bytes : range.isEmpty ? 0 : bytes & (UInt64.max << UInt64(64 - 8 * range.count))
    }

    @inline(__always)
    mutating func append(_ buffer: UnsafeBufferPointer<UInt8>) {
        guard let source = buffer.baseAddress else { return }
        if capacity - count < buffer.count { grow(by: buffer.count) }
        let (target, source8, length) = (UnsafeMutableRawPointer(start + count), UnsafeRawPointer(source), buffer.count)
        count += length
        // Short texts are copied in two steps that may overlap, which is faster than a call.
        if length >= 8, length <= 16 {
            let last = (source8 + length - 8).loadUnaligned(as: UInt64.self)
            target.storeBytes(of: source8.loadUnaligned(as: UInt64.self), as: UInt64.self)
            (target + length - 8).storeBytes(of: last, as: UInt64.self)
        } else if length >= 4, length < 8 {
            let last = (source8 + length - 4).loadUnaligned(as: UInt32.self)
            target.storeBytes(of: source8.loadUnaligned(as: UInt32.self), as: UInt32.self)
            (target + length - 4).storeBytes(of: last, as: UInt32.self)
        } else {
            target.copyMemory(from: source8, byteCount: length)
        }
    }
}

/// Returns a value of the generic type `From` as a `To`, which is the same type.
///
/// It is a forced cast without the cost of a dynamic cast. It traps if the types differ.
@inline(__always)
func identical<From, To>(_ value: From, as type: To.Type) -> To {
    precondition(From.self == To.self)
    return unsafeBitCast(value, to: To.self)
}
