package import HalyardHTTP

extension CurlTransport: ByteTransport {
    package func connect(for request: HTTPRequest, context: TransferContext) async throws -> ByteConnection {
        let (loop, context) = try checked(request, context)
        do { return try await loop.connect(request, context) } catch let error as HTTPError {
            throw error.adding(request: request)
        }
    }
}

extension EventLoopHandle {
    fileprivate nonisolated(nonsending) func connect(
        _ request: HTTPRequest, _ context: TransferContext
    ) async throws -> ByteConnection {
        let id = nextID()
        let pending = PendingConnection(id: id, request, context)
        return try await withTaskCancellationHandler {
            do throws(HTTPError) { try submit(.connect(pending)) } catch { pending.complete(with: .failure(error)) }
            // If the cancellation handler ran before the command was submitted, it had no effect.
            if Task.isCancelled { post(.closeConnection(id)) }
            let address = try await pending.opened()
            return ByteConnection(incoming: pending.incoming, outgoing: pending.outgoing, remoteAddress: address) {
                [self] in post(.closeConnection(id))
            }
        } onCancel: {
            post(.closeConnection(id))
        }
    }
}
