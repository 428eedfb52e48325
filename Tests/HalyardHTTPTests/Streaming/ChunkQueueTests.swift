import Foundation
import Testing

@testable import HalyardHTTP

struct ChunkQueueTests {
    private func bytes(_ count: Int, from start: Int) -> Data {
        Data((start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test(arguments: [1, 100, 4096, 8192, 20_000, 70_000, 200_000])
    func `bytes leave the queue in order, in pieces of any length`(length: Int) {
        var queue = ChunkQueue()
        var (sent, got) = (Data(), Data())
        var room = [UInt8](repeating: 0, count: 50_000)
        for index in 0..<60 {
            let piece = bytes(max(1, length - index * 7), from: sent.count)
            sent.append(piece)
            if index % 11 == 10 { queue.append(piece) } else { piece.withUnsafeBytes { queue.append($0) } }
            #expect(queue.count == sent.count - got.count)
            if index % 5 == 4, let chunk = queue.next() { got.append(chunk) }
            if index % 7 == 6 {
                let count = room.withUnsafeMutableBytes { queue.move(into: $0) }
                got.append(contentsOf: room[..<count])
            }
        }
        while let chunk = queue.next() { got.append(chunk) }
        #expect(queue.isEmpty && queue.count == 0)
        #expect(got == sent)
    }

    @Test func `a chunk that a reader keeps or changes is independent of later chunks`() throws {
        var queue = ChunkQueue()
        var kept: [(chunk: Data, copy: [UInt8])] = []
        for index in 0..<100 {
            let piece = bytes(16 << 10, from: index * 1000)
            piece.withUnsafeBytes { queue.append($0) }
            guard index % 6 == 5 else { continue }
            let next = queue.next()
            var chunk = try #require(next)
            switch index % 4 {
            case 0: break  // the chunk is released, and its memory is reused
            case 1: kept.append((chunk, [UInt8](chunk)))
            case 2:
                chunk.append(contentsOf: [1, 2, 3])
                kept.append((chunk, [UInt8](chunk)))
            default:
                chunk[chunk.startIndex] = 0xFF
                kept.append((chunk.dropFirst(0), [UInt8](chunk)))
            }
        }
        #expect(kept.count > 5)
        for (chunk, copy) in kept { #expect(chunk.elementsEqual(copy)) }
    }

    @Test func `the memory of a released chunk is reused`() throws {
        var queue = ChunkQueue()
        var places: Set<UnsafeRawPointer?> = []
        for index in 0..<20 {
            for _ in 0..<8 { bytes(16 << 10, from: index).withUnsafeBytes { queue.append($0) } }
            let next = queue.next()
            let chunk = try #require(next)
            #expect(chunk.count == 128 << 10)
            chunk.withUnsafeBytes { _ = places.insert($0.baseAddress) }
        }
        #expect(places.count == 1)
    }
}
