/// A queue: first in, first out. Adding and removing take constant time on average, however long it is.
package struct FIFO<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    /// Where the first element is. Those before it have been removed.
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == elements.count }

    /// The next element; `nil` when there is none.
    package var first: Element? { isEmpty ? nil : elements[head] }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func removeFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        // Removed elements are cleared away when they are the most: the queue may never be empty.
        if head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }
}
