import Foundation
import Halyard
import Testing

struct JSONDepthTests {
    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"], [10_000, 100_000, 1_000_000])
    func `rejects any depth without exhausting the stack`(_ opening: String, _ count: Int) throws {
        let bytes = Array(String(repeating: opening, count: count).utf8)
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes) }
        #expect(error?.reason == "arrays and objects are nested deeper than 512 levels")
        let limited = #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes, maximumDepth: .max) }
        #expect(limited == error)
    }

    @Test(arguments: [0, 1, 2, 100, 511, 512])
    func `reads up to the limit but not beyond`(_ depth: Int) throws {
        let allowed = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        #expect(try JSON(parsing: allowed, maximumDepth: depth).description == allowed)
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: "[\(allowed)]", maximumDepth: depth) }
    }

    @Test func `counts levels, not brackets`() throws {
        let wide = "[" + Array(repeating: "[[]],{\"a\":{}}", count: 1000).joined(separator: ",") + "]"
        #expect(try JSON(parsing: wide, maximumDepth: 3).array?.count == 2000)
    }

    /// Threads of Apple systems have 512 KB of stack by default.
    @Test(.timeLimit(.minutes(3)), arguments: [("[", "]"), ("{\"a\":", "}")])
    func `compares, hashes, writes and releases the deepest value on a small stack`(_ open: String, _ close: String)
        async
    {
        let text = String(repeating: open, count: 512) + "1" + String(repeating: close, count: 512)
        let isEqual = await withCheckedContinuation { continuation in
            let thread = Thread {
                let one = try? JSON(parsing: text)
                let other = try? JSON(parsing: text)
                let isEqual = one == other && one?.hashValue == other?.hashValue && one?.description == text
                continuation.resume(returning: isEqual && one?.prettyPrinted.isEmpty == false)
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(isEqual)
    }
}
