import Foundation
import HalyardHTTP
import Testing

struct RandomUUIDTests {
    @Test func `random UUIDs are version 4 and differ`() {
        let texts = (0..<1000).map { _ in UUID.random().uuidString }
        #expect(Set(texts).count == 1000)
        for text in texts {
            let characters = Array(text)
            #expect(characters[14] == "4" && "89AB".contains(characters[19]), "\(text)")
        }
    }
}
