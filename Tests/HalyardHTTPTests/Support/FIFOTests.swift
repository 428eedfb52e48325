import HalyardHTTP
import Testing
import TestSupport

struct FIFOTests {
    @Test(arguments: UInt64(0)..<8)
    func `a queue has the same elements as an array, whatever is done to it`(_ seed: UInt64) {
        var random = Seeded(seed)
        var (queue, array) = (FIFO<Int>(), [Int]())
        for number in 0..<400 {
            // The queue grows to about seventy elements, and shrinks again.
            switch Int.random(in: 0..<6, using: &random) {
            case 0...1,
                2...3 where number < 200:
                queue.append(number)
                array.append(number)
            case 4:
                let wanted = array.randomElement(using: &random) ?? -1
                #expect(queue.removeFirst { $0 == wanted } == array.firstIndex(of: wanted).map { array.remove(at: $0) })
            default: #expect(queue.removeFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            #expect((queue.first, queue.count, queue.isEmpty) == (array.first, array.count, array.isEmpty))
            if number % 10 == 0 { #expect(Array(queue) == array) }
        }
    }

    @Test func `a condition that several elements meet removes the first of them`() {
        var queue = FIFO<Int>()
        for number in 1...6 { queue.append(number) }
        #expect(queue.removeFirst { $0.isMultiple(of: 2) } == 2)
        #expect(queue.removeFirst { $0 > 6 } == nil)
        #expect(Array(queue) == [1, 3, 4, 5, 6])
    }

    @Test func `removed elements are released, also while others wait`() {
        final class Element: Sendable {}
        struct Reference { weak var element: Element? }

        var (queue, references) = (FIFO<Element>(), [Reference]())
        for _ in 0..<9 {
            let element = Element()
            references.append(Reference(element: element))
            queue.append(element)
        }
        for _ in 0..<2 { _ = queue.removeFirst() }
        let fourth = references[3].element.map(ObjectIdentifier.init)
        _ = queue.removeFirst { ObjectIdentifier($0) == fourth }
        #expect(references.indices.filter { references[$0].element == nil } == [0, 1, 3])
        #expect(queue.count == 6)
    }
}
