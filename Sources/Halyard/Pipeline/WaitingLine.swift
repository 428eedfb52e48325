import HalyardHTTP

/// A queue with three priorities. Each has a share of the turns while it waits; see ``RequestPriority``. Within a
/// priority it is first in, first out.
///
/// The shares are those of stride scheduling: a priority advances by its stride for each turn, and the one that has
/// advanced least is next. A priority that was empty starts where the queue is, so that it saves up no turns.
package struct WaitingLine<Element: Sendable>: Sendable {
    /// Names an element of a line.
    package struct Ticket: Sendable, Hashable {
        fileprivate let number: Int
        fileprivate let lane: Int
    }

    /// The lanes of the priorities. None until an element waits, because most lines never have one.
    private var lanes: [Lane<Element>] = []
    /// The position of the lane that had the last turn.
    private var position = 0
    private(set) var lastTicket: Int

    package private(set) var count = 0

    package var isEmpty: Bool { count == 0 }

    /// Makes an empty line. `lastTicket` is the number before that of the first ticket.
    package init(after lastTicket: Int = 0) { self.lastTicket = lastTicket }

    /// Returns the number of elements of a priority and of higher ones.
    package func count(atLeast priority: RequestPriority) -> Int {
        lanes.prefix(priority.index + 1).reduce(0) { $0 + $1.elements.count }
    }

    package mutating func append(_ element: Element, _ priority: RequestPriority) -> Ticket {
        if lanes.isEmpty { lanes = RequestPriority.strides.map { _ in Lane() } }
        lastTicket += 1
        count += 1
        let index = priority.index
        if lanes[index].elements.isEmpty { lanes[index].position = max(lanes[index].position, position) }
        lanes[index].append(element, lastTicket)
        return Ticket(number: lastTicket, lane: index)
    }

    /// Removes an element that stops waiting. Returns `false` if it has had its turn already.
    package mutating func remove(_ ticket: Ticket) -> Bool {
        guard !isEmpty, lanes[ticket.lane].remove(ticket.number) else { return false }
        count -= 1
        return true
    }

    /// Removes and returns the element whose turn it is. `nil` if the line is empty.
    package mutating func next() -> Element? {
        let waiting = lanes.indices.filter { !lanes[$0].elements.isEmpty }
        // Of equal positions, the first is that of the higher priority.
        guard let index = waiting.min(by: { lanes[$0].position < lanes[$1].position }) else { return nil }
        count -= 1
        position = lanes[index].position
        lanes[index].position += RequestPriority.strides[index]
        return lanes[index].next()
    }
}

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
            for number in numbers where elements[number] != nil { kept.append(number) }
            (numbers, removed) = (kept, 0)
        }
        return true
    }
}

/// The order in which queued requests are sent.
///
/// ```swift
/// let prefetch = Route(path: "/next").priority(.low)
/// ```
///
/// While requests of all three priorities wait, 16 of 21 requests that leave a queue have high priority, 4 normal and 1
/// low. No request waits forever: between two requests of low priority, at most 22 others leave the queue, however many
/// arrive. Requests of the same priority are sent in the order of arrival.
public struct RequestPriority: Sendable, Equatable, CustomStringConvertible {
    /// The place in the list of priorities. 0 is the highest.
    let index: Int
    /// The name: `high`, `normal` or `low`.
    public let description: String

    /// Sent before others: for something that a user waits for.
    public static let high = RequestPriority(index: 0, description: "high")
    /// The default priority.
    public static let normal = RequestPriority(index: 1, description: "normal")
    /// Sent after others: for a request whose result is not needed yet.
    public static let low = RequestPriority(index: 2, description: "low")

    /// The number of steps that a queue counts for one request of each priority: the inverse of its share.
    static let strides = [1, 4, 16]
}

extension RequestConfigurable {
    /// Returns a copy with a priority among requests that queue for the client's `requestsInFlight` or a limit of
    /// HalyardLimits. Defaults to ``RequestPriority/normal``. Without a limit, the priority has no effect.
    public func priority(_ priority: RequestPriority) -> Self { configured { $0[RequestPriority.self] = priority } }
}
