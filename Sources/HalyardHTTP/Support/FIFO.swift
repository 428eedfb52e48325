/// A first-in, first-out queue. Appending and removing take amortised constant time.
package struct FIFO<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// The index of the first element. Elements before it have been removed.
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == elements.count }

    package var count: Int { elements.count - head }

    /// The next element; `nil` when the queue is empty.
    package var first: Element? { isEmpty ? nil : elements[head] }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func removeFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        // Frees removed elements once they are the majority, because the queue may never become empty.
        if head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
