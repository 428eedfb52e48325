public import Dispatch
public import HalyardFoundation
import HalyardHTTP

// Callbacks. Each verb has two forms:
//
// - without a queue the handler runs on the main actor;
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

    /// Calls a handler with the response as text; see ``HTTPResponse/text`` for its charset.
    @discardableResult
    public func responseText(_ handler: @escaping @MainActor (Response<String>) -> Void) -> Request {
        read(.text, handler)
    }

    /// Calls a handler with the response as text on a queue.
    @discardableResult
    public func responseText(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<String>) -> Void
    ) -> Request {
        read(.text, on: queue, handler)
    }

    /// Calls a handler with what a serializer makes of the response, off the main actor. What it throws is the error.
    ///
    /// ```swift
    /// let image = ResponseSerializer { response in try Image(response.data, type: response.mediaType) }
    /// api.request(.picture).responseValue(image) { response in show(response.value) }
    /// ```
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        read(serializer, handler)
    }

    /// Calls a handler with what a serializer makes of the response, on a queue.
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        read(serializer, on: queue, handler)
    }

    package func read<Value>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        read(
            OutcomeReader(lane: .main) { exchange in
                guard !exchange.isStopped else { return }
                await handler(exchange.response(reading: serializer))
            })
        return self
    }

    package func read<Value>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        read(
            OutcomeReader(lane: .of(queue)) { exchange in
                guard !exchange.isStopped else { return }
                await queue.call(handler, with: exchange.response(reading: serializer))
            })
        return self
    }
}
