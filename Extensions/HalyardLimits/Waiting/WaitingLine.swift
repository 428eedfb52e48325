import HalyardHTTP

/// A queue with three priorities. Each has a share of the turns while it waits; see ``RequestPriority``. Within a
/// priority it is first in, first out.
///
/// The shares are those of stride scheduling: a priority advances by its stride for each turn, and the one that has
/// advanced least is next. A priority that was empty starts where the queue is, so that it saves up no turns.
struct WaitingLine<Element: Sendable>: Sendable {
    /// Names an element of a line.
    struct Ticket: Sendable, Hashable {
        fileprivate let number: Int
        fileprivate let lane: Int
    }

    private var lanes = RequestPriority.strides.map { _ in Lane<Element>() }
    /// The position of the lane that had the last turn.
    private var position = 0
    private var lastNumber = 0

    /// The number of elements.
    var count: Int { lanes.reduce(0) { $0 + $1.elements.count } }

    var isEmpty: Bool { lanes.allSatisfy(\.elements.isEmpty) }

    /// Returns the number of elements of a priority and of higher ones.
    func count(atLeast priority: RequestPriority) -> Int {
        lanes[...priority.index].reduce(0) { $0 + $1.elements.count }
    }

    /// Adds an element at the end of its priority.
    mutating func append(_ element: Element, _ priority: RequestPriority) -> Ticket {
        lastNumber += 1
        let index = priority.index
        if lanes[index].elements.isEmpty { lanes[index].position = max(lanes[index].position, position) }
        lanes[index].append(element, lastNumber)
        return Ticket(number: lastNumber, lane: index)
    }

    /// Removes an element that stops waiting. Returns `false` if it has had its turn already.
    mutating func remove(_ ticket: Ticket) -> Bool { lanes[ticket.lane].remove(ticket.number) }

    /// Removes and returns the element whose turn it is. `nil` if the line is empty.
    mutating func next() -> Element? {
        let waiting = lanes.indices.filter { !lanes[$0].elements.isEmpty }
        // Of equal positions, the first is that of the higher priority.
        guard let index = waiting.min(by: { lanes[$0].position < lanes[$1].position }) else { return nil }
        position = lanes[index].position
        lanes[index].position += RequestPriority.strides[index]
        return lanes[index].next()
    }
}

/// The elements of one priority.
private struct Lane<Element: Sendable>: Sendable {
    private(set) var elements: [Int: Element] = [:]
    /// How far the lane has advanced. See ``RequestPriority/strides``.
    var position = 0
    /// The numbers of the elements in their order, and those of elements that were removed.
    private var numbers = FIFO<Int>()
    private var removed = 0

    mutating func append(_ element: Element, _ number: Int) {
        elements[number] = element
        numbers.append(number)
    }

    mutating func next() -> Element? {
        while let number = numbers.removeFirst() {
            if let element = elements.removeValue(forKey: number) { return element }
            removed -= 1
        }
        return nil
    }

    mutating func remove(_ number: Int) -> Bool {
        guard elements.removeValue(forKey: number) != nil else { return false }
        removed += 1
        // The numbers of removed elements are dropped once they are the majority.
        if removed > elements.count + 32 {
            var kept = FIFO<Int>()
            while let number = numbers.removeFirst() { if elements[number] != nil { kept.append(number) } }
            (numbers, removed) = (kept, 0)
        }
        return true
    }
}
