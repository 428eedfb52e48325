package import HalyardFoundation
import HalyardSystem

/// The partial file of a download whose parts arrive over several connections. It has its whole length from the start,
/// with holes that take no space on the disk: the length is only what the server says.
///
/// One byte for each block follows the bytes of the body. It is written after its block, so that a process that is killed
/// loses only incomplete blocks. A ``PartialFile`` finds more bytes than the body has, and starts over. The bytes of a
/// ``PartialFile`` are taken over.
///
/// All functions may wait for the disk.
package final class SegmentedFile: Sendable {
    private struct State: Sendable {
        /// `nil` once the download is over.
        var file: UserOwnedFile?
        var permit: DescriptorPermit?
        var record: ResumeRecord?
        var plan: SegmentPlan?
        /// The SHA-256 that the server states for the whole body.
        var stated: Data?
        /// The end of the bytes, without a plan.
        var end: Int64 = 0
        /// The number of the current body. Writes of earlier ones, which may arrive late, are rejected.
        var number = 0
        /// Whether a later call can continue the bytes.
        var isKept: Bool
    }

    private let place: PartialPlace
    private let state: Lock<State>

    /// Opens the file of a target, and makes the missing folders of the target. Returns `nil` while another request holds
    /// it. `permit` is released when the file is closed. Throws ``HTTPError`` of kind `unwritableFile`.
    package init?(of target: URL, requestHash: String, _ permit: DescriptorPermit) throws(HTTPError) {
        place = PartialPlace(of: target)
        try target.makeFolder()
        guard let file = try place.open() else { return nil }
        var state = State(file: file, permit: permit, isKept: file.length > 0)
        if let record = place.record(), record.requestHash == requestHash,
            let plan = SegmentPlan(of: record, in: file)
        {
            (state.record, state.plan) = (record, plan)
        }
        self.state = Lock(state)
        try self.state.withLock { state throws(HTTPError) in
            guard let plan = state.plan, file.length <= plan.total else { return }
            try file.truncate(to: plan.total + Int64(plan.blocks.count))
            try file.write(plan.marks(plan.blocks.indices), at: plan.total)
        }
    }

    deinit { release() }

    /// The body that the bytes belong to. `nil` if there are none that can be continued.
    package var record: ResumeRecord? { state.withLock(\.record) }

    /// The number of the current body, which changes with each one that begins.
    package var number: Int { state.withLock(\.number) }

    /// The number of bytes that have arrived.
    package var completed: Int64 { state.withLock { $0.plan?.completed ?? 0 } }

    /// Discards all bytes, and begins a body. Returns the range of its first `count` bytes, in whole blocks. Returns `nil`
    /// if the body cannot be continued later, because there is no record, or because it is too large for a plan.
    package func begin(_ record: ResumeRecord?, first count: Int64 = 0) throws(HTTPError) -> Range<Int64>? {
        try state.withLock { state throws(HTTPError) in
            guard let file = state.file else { throw HTTPError(.cancelled) }
            (state.record, state.plan, state.stated, state.end, state.isKept) = (nil, nil, nil, 0, false)
            state.number += 1
            place.removeRecord()
            try file.truncate(to: 0)
            guard let record, let total = record.total, var plan = SegmentPlan(total: total) else { return nil }
            try place.write(record)
            try file.truncate(to: total + Int64(plan.blocks.count))
            let range = plan.take(first: count)
            (state.record, state.plan, state.isKept) = (record, plan, true)
            return range
        }
    }

    /// Takes the next range to request; `nil` if there is none.
    package func take(sharedBy connections: Int) -> Range<Int64>? {
        state.withLock { $0.plan?.take(sharedBy: connections) }
    }

    /// Writes bytes of a range that was taken, which arrive in order. `number` is that of their body. Returns the number
    /// of bytes that have arrived in all. Throws ``HTTPError`` of kind `unwritableFile`.
    package func write(_ bytes: Data, at offset: Int64, of number: Int) throws -> Int64 {
        try state.withLock { state in
            guard let file = state.file, state.number == number else { throw HTTPError(.cancelled) }
            try bytes.withUnsafeBytes { try file.write($0, at: offset) }
            state.end = offset + Int64(bytes.count)
            guard let blocks = state.plan?.advance(offset..<state.end), let plan = state.plan else { return state.end }
            if !blocks.isEmpty { try file.write(plan.marks(blocks), at: plan.total + Int64(blocks.lowerBound)) }
            return plan.completed
        }
    }

    /// Learns the SHA-256 that a response states for the whole body. Returns `false` if an earlier one has stated another,
    /// so that the body has changed.
    package func learn(_ digest: Data) -> Bool {
        state.withLock { state in
            defer { state.stated = digest }
            return state.stated ?? digest == digest
        }
    }

    /// Ends a complete body, and checks its SHA-256. `digest` defaults to the one that the server states, if any. Throws
    /// ``HTTPError`` of kind `digestMismatch`; the bytes are then not kept.
    package func finish(_ digest: Data?) throws(HTTPError) {
        let stated = try state.withLock { state throws(HTTPError) in
            guard let file = state.file else { throw HTTPError(.cancelled) }
            try file.truncate(to: state.plan?.total ?? state.end)
            return state.stated
        }
        guard let digest = digest ?? stated else { return }
        let actual = try SHA256Digest.hash(ofFileAt: place.path)
        if actual != digest { forget() }
        try HTTPError.require(digest, actual)
    }

    /// Lets no later call continue the bytes, because some that were written are refused.
    package func forget() { state.withLock { $0.isKept = false } }

    /// Renames the file to its target. Throws ``HTTPError`` of kind `unwritableFile`.
    package func commit() throws(HTTPError) {
        try state.withLock { state throws(HTTPError) in
            guard let file = state.file else { throw HTTPError(.cancelled) }
            try file.move(from: place.path)
            place.removeRecord()
            Self.close(&state)
        }
    }

    /// Closes the file, and removes it unless a later call can continue it.
    package func release() {
        state.withLock { state in
            if state.file != nil, !state.isKept { place.remove() }
            Self.close(&state)
        }
    }

    private static func close(_ state: inout State) {
        state.file?.release()
        (state.file, state.permit) = (nil, nil)
    }
}

extension SegmentPlan {
    /// Reads which blocks of a body a file has: that of a ``SegmentedFile``, or of a ``PartialFile``, whose bytes are the
    /// beginning of the body. `nil` if it has none.
    init?(of record: ResumeRecord, in file: UserOwnedFile) {
        guard let total = record.total, file.length > 0 else { return nil }
        self.init(total: total)
        let isMarked = file.length == total + Int64(blocks.count)
        guard isMarked || file.length <= total else { return nil }
        let marks = isMarked ? file.bytes(at: total, count: blocks.count) : []
        let whole = file.length == total ? blocks.count : Int(file.length / Self.blockSize)
        restore { isMarked ? $0 < marks.count && marks[$0] == Block.arrived.rawValue : $0 < whole }
    }

    /// The bytes that a file has for blocks.
    fileprivate func marks(_ range: Range<Int>) -> [UInt8] {
        blocks[range].map { $0 == .arrived ? Block.arrived.rawValue : Block.missing.rawValue }
    }
}

extension UserOwnedFile {
    fileprivate func write(_ bytes: [UInt8], at offset: Int64) throws(HTTPError) {
        try bytes.withUnsafeBufferPointer { bytes throws(HTTPError) in
            try write(UnsafeRawBufferPointer(bytes), at: offset)
        }
    }
}
