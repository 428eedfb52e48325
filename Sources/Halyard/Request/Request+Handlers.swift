public import Dispatch
public import HalyardFoundation
import HalyardHTTP

// Handlers. They run on the main actor; `responseValue(_:on:_:)` calls one on a queue.
//
// A handler is called once, when the request ends, or soon if it has ended already. It is not called if the provider's
// `shouldContinue` returns `false`. Each function returns the same request, for chaining.
extension Request {
    /// Calls a handler with the response. The body is not converted.
    @discardableResult
    public func response(_ handler: @escaping @MainActor (Response<Void>) -> Void) -> Request {
        responseValue(.void, handler)
    }

    /// Calls a handler with the bytes of the response, which are empty for a response without a body.
    @discardableResult
    public func responseData(_ handler: @escaping @MainActor (Response<Data>) -> Void) -> Request {
        responseValue(.data, handler)
    }

    /// Calls a handler with the response as ``JSON`` of any kind, or with an ``HTTPError``: of kind `emptyResponse` for
    /// an empty body, of kind `decoding` for a body that is not JSON.
    @discardableResult
    public func responseJSON(_ handler: @escaping @MainActor (Response<JSON>) -> Void) -> Request {
        responseValue(.json, handler)
    }

    /// Calls a handler with the response as text. See ``HTTPResponse/text`` for the character set.
    @discardableResult
    public func responseText(_ handler: @escaping @MainActor (Response<String>) -> Void) -> Request {
        responseValue(.text, handler)
    }

    /// Calls a handler with the result of a serializer, on the main actor. The serializer runs off the main actor.
    ///
    /// ```swift
    /// let image = ResponseSerializer { response in try Image(response.data, type: response.mediaType) }
    /// api.request(.picture).responseValue(image) { response in show(response.value) }
    /// ```
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, _ handler: @escaping @MainActor (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, .main(handler))
    }

    /// Calls a handler with the result of a serializer, on a queue.
    ///
    /// ```swift
    /// api.request(.me).responseValue(.data, on: .global()) { response in print(response.data.count) }
    /// ```
    @discardableResult
    public func responseValue<Value: Sendable>(
        _ serializer: ResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Response<Value>) -> Void
    ) -> Request {
        addHandler(serializer, .queue(queue, handler))
    }

    /// Adds a handler of the value that a serializer makes.
    ///
    /// - Parameter destination: Where the body goes, if this handler starts the request. Defaults to memory.
    func addHandler<Value>(
        _ serializer: ResponseSerializer<Value>, to destination: BodyDestination? = nil,
        _ handler: Handler<Response<Value>>
    ) -> Request {
        let observer = OutcomeObserver.handler(handler.queueID) { outcome in
            guard !outcome.isStopped else { return }
            await handler.call(with: outcome.response(decoding: serializer))
        }
        addObserver(observer, to: destination)
        return self
    }
}
