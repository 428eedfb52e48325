public import Dispatch

/// Where the handlers of a provider's requests run when they are added without `on:`.
///
/// That is the main actor, unless the provider says otherwise. A program whose main thread blocks, and so never gets
/// to them, sets ``global``:
///
/// ```swift
/// struct ScriptAPI: HTTPProvider {
///     let baseURL = URL(string: "https://api.example.com")!
///     let delivery = Delivery.global
/// }
/// ```
///
/// Handlers are `@MainActor` by their type, for that is where they nearly always run. With any other delivery they do
/// not: then they must leave the main actor's state alone, and the compiler cannot see to it.
public struct Delivery: Sendable {
    /// The queue; nil for the main actor.
    package let queue: DispatchQueue?

    /// The main actor.
    public static let main = Delivery(queue: nil)
    /// The global concurrent queue: handlers may run at the same time as others.
    public static let global = Delivery(queue: .global())
    /// A queue of one's own.
    public static func on(_ queue: DispatchQueue) -> Delivery { Delivery(queue: queue) }

    /// Calls a handler where it belongs, and returns when it has.
    package func call<Value: Sendable>(_ handler: @escaping @MainActor (Value) -> Void, with value: Value) async {
        guard let queue else { return await handler(value) }
        // The main actor is no part of a function's representation (the standard library's `assumeIsolated` takes it
        // off in the same way); that the handler does not need it is the promise of whoever chose this delivery.
        let free = unsafeBitCast(handler, to: (@Sendable (Value) -> Void).self)
        await queue.call(free, with: value)
    }
}

extension DispatchQueue {
    /// Calls a handler on this queue, and returns when it has.
    package func call<Value: Sendable>(_ handler: @escaping @Sendable (Value) -> Void, with value: Value) async {
        await withCheckedContinuation { continuation in
            async {
                handler(value)
                continuation.resume()
            }
        }
    }
}
