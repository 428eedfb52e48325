/// A first-in, first-out queue. Appending, and removing the first element, take amortised constant time. Removed
/// elements are not kept.
///
/// A queue of one element allocates nothing, and most queues never have more. For `@inlinable` see ``Lock``.
@usableFromInline package struct FIFO<Element: Sendable>: Sendable {
    @usableFromInline package internal(set) var first: Element?
    /// The other elements. `nil` for places of elements that have been removed.
    @usableFromInline var others: [Element?]
    /// The index of the first of the other elements.
    @usableFromInline var head: Int

    @inlinable package init() { (first, others, head) = (nil, [], 0) }

    @inlinable package var isEmpty: Bool { first == nil }

    @inlinable package var count: Int { (isEmpty ? 0 : 1) + others.count - head }

    @inlinable package mutating func append(_ element: Element) {
        if isEmpty { first = element } else { others.append(element) }
    }

    @inlinable package mutating func removeFirst() -> Element? {
        guard head < others.count else { return first.take() }
        let removed = first
        first = others[head].take()
        head += 1
        // Frees the places of removed elements once they are the majority, because the queue may never become empty.
        if head > others.count / 2 {
            others.removeFirst(head)
            head = 0
        }
        return removed
    }

    /// Removes the first element that meets a condition, in linear time. Returns the element; `nil` if there is none.
    @inlinable package mutating func removeFirst(where isRemoved: (Element) -> Bool) -> Element? {
        if let first, isRemoved(first) { return removeFirst() }
        guard let index = others.firstIndex(where: { $0.map(isRemoved) ?? false }) else { return nil }
        return others.remove(at: index)
    }
}

/// A loop visits the elements of a copy, in order, and leaves the queue as it is.
extension FIFO: Sequence, IteratorProtocol {
    @inlinable package mutating func next() -> Element? { removeFirst() }
}
