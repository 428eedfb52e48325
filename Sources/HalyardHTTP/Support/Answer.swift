/// A value that one side gives, from any thread, and the other waits for. Its copies are the same answer.
package struct Answer<Value: Sendable>: Sendable {
    private let latch = Latch()
    private let value = Lock<Value?>(nil)

    package init() {}

    /// Gives the value: the first counts, and any other is let go.
    package func give(_ value: Value) {
        latch.open { self.value.withLock { $0 = value } }
    }

    /// Waits for the value, and takes it; for one, and once. It does not look at whether the task is cancelled: whoever
    /// gives the value sees to that.
    package nonisolated(nonsending) func take() async -> Value {
        while true {
            await latch.wait()
            if let value = value.withLock({ $0.take() }) { return value }
        }
    }
}
