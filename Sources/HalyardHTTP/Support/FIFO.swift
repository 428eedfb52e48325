/// A first-in, first-out queue. Appending and removing take amortised constant time. Removed elements are not kept.
package struct FIFO<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    /// The index of the first element. Those before it have been removed.
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == elements.count }

    package var count: Int { elements.count - head }

    /// The next element; `nil` when the queue is empty.
    package var first: Element? { isEmpty ? nil : elements[head] }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func removeFirst() -> Element? {
        if isEmpty { return nil }
        let first = elements[head].take()
        head += 1
        // Frees the places of removed elements once they are the majority, because the queue may never become empty.
        if head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
