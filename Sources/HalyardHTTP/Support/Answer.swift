/// A single-use promise that can be fulfilled from any thread. Copies share one state.
package struct Answer<Value: Sendable>: Sendable {
    private let latch = Latch()
    private let value = Lock<Value?>(nil)

    package init() {}

    /// Fulfils the promise. Only the first value counts.
    package func give(_ value: Value) {
        latch.open { self.value.withLock { $0 = value } }
    }

    /// Waits for the value and takes it. One task may call it, once.
    ///
    /// It does not observe cancellation: the code that fulfils the promise does.
    package nonisolated(nonsending) func take() async -> Value {
        while true {
            await latch.wait()
            if let value = value.withLock({ $0.take() }) { return value }
        }
    }
}
