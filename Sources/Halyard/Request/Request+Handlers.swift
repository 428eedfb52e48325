public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HalyardHTTP

// Callbacks. Each verb has two forms:
//
// - without a queue the handler runs on the main actor, or where the provider's `delivery` says;
// - with `on:` it runs on that queue.
//
// A handler is called once: when the request ends, or soon when it has ended already. It is not called at all when
// the provider's `shouldContinue` says no.
extension Request {
    /// Calls a handler with the response, whose body is not looked at: a value is there when the request succeeded.
    @discardableResult
    public func response(
        _ handler: @escaping @MainActor (Response<Void>) -> Void
    ) -> Request {
        read(.void, handler)
    }

    /// Calls a handler with the response on a queue.
    @discardableResult
    public func response(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Void>) -> Void
    ) -> Request {
        read(.void, on: queue, handler)
    }

    /// Calls a handler with the bytes of the response, empty when there are none.
    @discardableResult
    public func responseData(
        _ handler: @escaping @MainActor (Response<Data>) -> Void
    ) -> Request {
        read(.data, handler)
    }

    /// Calls a handler with the bytes of the response on a queue.
    @discardableResult
    public func responseData(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Data>) -> Void
    ) -> Request {
        read(.data, on: queue, handler)
    }

    /// Calls a handler with the response as ``JSON``, of any kind: an object, a list, a lone string.
    ///
    /// An empty body is an ``HTTPError`` of kind `emptyResponse`, one that is not JSON of kind `decoding`.
    @discardableResult
    public func responseJSON(
        _ handler: @escaping @MainActor (Response<JSON>) -> Void
    ) -> Request {
        read(.json, handler)
    }

    /// Calls a handler with the response as ``JSON`` on a queue.
    @discardableResult
    public func responseJSON(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<JSON>) -> Void
    ) -> Request {
        read(.json, on: queue, handler)
    }

    package func read<Value>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        readUnlessStopped { [delivery] in await delivery.call(handler, with: $0.response(serializer)) }
    }

    package func read<Value>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        readUnlessStopped { await queue.call(handler, with: $0.response(serializer)) }
    }

    /// Reads in a task of its own: neither decoding nor a handler ever runs where the outcome became known.
    private func readUnlessStopped(_ body: @escaping @Sendable (Exchange) async -> Void) -> Request {
        read { exchange in
            if !exchange.isStopped { Task { await body(exchange) } }
        }
        return self
    }
}
