/// A first-in, first-out queue. Appending and removing take amortised constant time. Removed elements are not kept.
///
/// It can be inlined into other modules, which would otherwise look up the type of its elements at run time.
@usableFromInline package struct FIFO<Element: Sendable>: Sendable {
    @usableFromInline var elements: [Element?]
    /// The index of the first element. Those before it have been removed.
    @usableFromInline var head: Int

    @inlinable package init() { (elements, head) = ([], 0) }

    @inlinable package var isEmpty: Bool { head == elements.count }

    @inlinable package var count: Int { elements.count - head }

    /// The next element; `nil` when the queue is empty.
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable package mutating func removeFirst() -> Element? {
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
