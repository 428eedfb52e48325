public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import HalyardHTTP

// Callbacks. Each verb has two forms:
//
// - without a queue the handler runs on the actor that it was written in, the main actor in a view controller for
//   one; and where no actor claims it, on the provider's `delivery`, which is the main actor unless it was changed;
// - with `on:` it runs on that queue.
//
// A handler is called once: when the request ends, or soon when it has ended already. It is not called at all when
// the provider's `shouldContinue` says no.
extension Request {
    /// Calls a handler with the response, whose body is not looked at: a value is there when the request succeeded.
    @discardableResult
    public func response(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Response<Void>) -> Void
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
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Response<Data>) -> Void
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
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Response<JSON>) -> Void
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
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @isolated(any) @Sendable (Response<Value>) -> Void
    ) -> Request {
        // Its own actor's, or the provider's choice for one that has none.
        let onMain = handler.isolation == nil && delivery.isMain
        return readUnlessStopped { exchange in
            let response = exchange.response(serializer)
            if onMain { await call(handler, onMainWith: response) } else { await handler(response) }
        }
    }

    package func read<Value>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        readUnlessStopped { exchange in
            let response = exchange.response(serializer)
            queue.async { handler(response) }
        }
    }

    /// Reads in a task of its own: neither decoding nor a handler ever runs where the outcome became known.
    private func readUnlessStopped(_ body: @escaping @Sendable (Exchange) async -> Void) -> Request {
        read { exchange in
            if !exchange.isStopped { Task { await body(exchange) } }
        }
        return self
    }
}

@MainActor
private func call<Value: Sendable>(
    _ handler: @escaping @isolated(any) @Sendable (Response<Value>) -> Void, onMainWith response: Response<Value>
) async {
    await handler(response)
}
