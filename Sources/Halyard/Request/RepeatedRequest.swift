import HalyardHTTP

/// A request that sends the route of another request again, with changes. It is cancelled with the other request.
package final class RepeatedRequest: Sendable {
    /// The new request, which has not started.
    package let request: Request
    private let original: RequestCore
    private let handlerID: UInt64

    init(_ route: Route, repeating original: RequestCore) {
        let core = RequestCore(route, of: original.provider)
        request = Request(core)
        self.original = original
        handlerID = original.cancellation.add { core.cancel() }
        if original.cancellation.isCancelled { core.cancel() }
    }

    deinit { original.cancellation.remove(handlerID) }
}

extension Request {
    package var method: HTTPMethod { core.route.method }

    package var headers: HTTPHeaders { core.route.headers }

    /// The clock of the provider's client.
    package var time: PipelineTime { core.provider.client.time }

    /// Waits on the clock of the provider's client. Throws `CancellationError` if the task is cancelled, ``HTTPError``
    /// of kind `cancelled` if the request is.
    package func sleep(_ duration: Duration) async throws {
        let task = Task { [sleep = time.sleep] in try await sleep(duration) }
        let id = core.cancellation.add { task.cancel() }
        defer { core.cancellation.remove(id) }
        if core.cancellation.isCancelled { task.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            try Task.checkCancellation()
            throw core.cancellation.isCancelled ? HTTPError.cancelled : error
        }
    }

    /// Returns a new request for the same provider and route.
    package func repeated(_ change: (inout Route) -> Void) -> RepeatedRequest {
        var route = core.route
        change(&route)
        return RepeatedRequest(route, repeating: core)
    }
}
