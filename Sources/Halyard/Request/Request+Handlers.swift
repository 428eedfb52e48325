public import Dispatch
public import HalyardFoundation
import HalyardHTTP

// Handlers. Each function has two forms:
//
// - without a queue, the handler runs on the main actor;
// - with `on:`, it runs on that queue.
//
// A handler is called once, when the request ends, or soon if it has ended already. It is not called if the provider's
// `shouldContinue` returns `false`.
extension Request {
    /// Calls a handler with the response, on the main actor. The body is not converted.
    ///
    /// - Parameter handler: Receives the response. Its value is present if the request succeeded.
    /// - Returns: The same request.
    @discardableResult
    public func response(
        _ handler: @escaping @MainActor (Response<Void>) -> Void
    ) -> Request {
        addHandler(.void, handler)
    }

    /// Calls a handler with the response, on a queue. The body is not converted.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the response.
    /// - Returns: The same request.
    @discardableResult
    public func response(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Void>) -> Void
    ) -> Request {
        addHandler(.void, on: queue, handler)
    }

    /// Calls a handler with the bytes of the response, on the main actor.
    ///
    /// - Parameter handler: Receives the bytes, empty for a response without a body.
    /// - Returns: The same request.
    @discardableResult
    public func responseData(
        _ handler: @escaping @MainActor (Response<Data>) -> Void
    ) -> Request {
        addHandler(.data, handler)
    }

    /// Calls a handler with the bytes of the response, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the bytes.
    /// - Returns: The same request.
    @discardableResult
    public func responseData(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<Data>) -> Void
    ) -> Request {
        addHandler(.data, on: queue, handler)
    }

    /// Calls a handler with the response as ``JSON``, on the main actor.
    ///
    /// - Parameter handler: Receives a value of any kind, or an ``HTTPError``: of kind `emptyResponse` for an empty
    ///   body, of kind `decoding` for a body that is not JSON.
    /// - Returns: The same request.
    @discardableResult
    public func responseJSON(
        _ handler: @escaping @MainActor (Response<JSON>) -> Void
    ) -> Request {
        addHandler(.json, handler)
    }

    /// Calls a handler with the response as ``JSON``, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the value or the error.
    /// - Returns: The same request.
    @discardableResult
    public func responseJSON(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<JSON>) -> Void
    ) -> Request {
        addHandler(.json, on: queue, handler)
    }

    /// Calls a handler with the response as text, on the main actor. See ``HTTPResponse/text`` for the character set.
    ///
    /// - Parameter handler: Receives the text.
    /// - Returns: The same request.
    @discardableResult
    public func responseText(_ handler: @escaping @MainActor (Response<String>) -> Void) -> Request {
        addHandler(.text, handler)
    }

    /// Calls a handler with the response as text, on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue.
    ///   - handler: Receives the text.
    /// - Returns: The same request.
    @discardableResult
    public func responseText(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Response<String>) -> Void
    ) -> Request {
        addHandler(.text, on: queue, handler)
    }

    /// Calls a handler with the result of a serializer, on the main actor. The serializer runs off the main actor.
    ///
    /// ```swift
    /// let image = ResponseSerializer { response in try Image(response.data, type: response.mediaType) }
    /// api.request(.picture).responseValue(image) { response in show(response.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - serializer: Converts the response.
    ///   - handler: Receives the result, or the error of the serializer.
    /// - Returns: The same request.
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, handler)
    }

    /// Calls a handler with the result of a serializer, on a queue.
    ///
    /// - Parameters:
    ///   - serializer: Converts the response.
    ///   - queue: The queue.
    ///   - handler: Receives the result, or the error of the serializer.
    /// - Returns: The same request.
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, on: queue, handler)
    }

    package func addHandler<Value>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        addObserver(
            OutcomeObserver(on: .main) { outcome in
                guard !outcome.isStopped else { return }
                await handler(outcome.response(decoding: serializer))
            })
        return self
    }

    package func addHandler<Value>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        addObserver(
            OutcomeObserver(on: .of(queue)) { outcome in
                guard !outcome.isStopped else { return }
                await queue.call(handler, with: outcome.response(decoding: serializer))
            })
        return self
    }
}
