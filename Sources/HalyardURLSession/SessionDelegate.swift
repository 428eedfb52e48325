import HalyardFoundationNetworking
import HalyardHTTP

/// The session's delegate. URLSession calls it on the delegate queue, one call at a time. It passes each event to the
/// transfer of the task.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State: Sendable {
        var running: [ObjectIdentifier: SessionTransfer] = [:]
        /// The transfers of the tasks that URLSession may report on, by task identifier.
        var byTask: [Int: SessionTransfer] = [:]
        var isShutDown = false
    }

    private let state = Lock(State())
    private let tls: EngineConfiguration.TLS

    init(tls: EngineConfiguration.TLS) { self.tls = tls }

    /// Registers a transfer until it ends. If the engine was shut down, the transfer fails.
    func register(_ transfer: SessionTransfer) {
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.running[ObjectIdentifier(transfer)] = transfer }
            return state.isShutDown
        }
        if isShutDown { return transfer.fail(HTTPError(.shutDown)) }
        transfer.onEnd { [weak self, id = ObjectIdentifier(transfer)] in
            _ = self?.state.withLock { $0.running.removeValue(forKey: id) }
        }
    }

    /// Registers the task of a transfer.
    func add(_ transfer: SessionTransfer, as task: URLSessionTask) {
        state.withLock { $0.byTask[task.taskIdentifier] = transfer }
    }

    @discardableResult
    func remove(_ task: URLSessionTask) -> SessionTransfer? {
        state.withLock { $0.byTask.removeValue(forKey: task.taskIdentifier) }
    }

    /// Fails all transfers, and all that are registered later.
    func shutDown() {
        let transfers = state.withLock { state in
            state.isShutDown = true
            return Array(state.running.values)
        }
        for transfer in transfers { transfer.fail(HTTPError(.shutDown)) }
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        state.withLock { $0.byTask[task.taskIdentifier] }
    }

    // MARK: Events

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        transfer(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.completed(task, error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.sent(totalBytesSent)
    }

    // MARK: Decisions

    /// Refuses every redirect. The pipeline follows redirects itself.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(Darwin)
            completionHandler(nil)
        #else
            // URLSession ends the process if the handler is called after the task was cancelled.
            transfer(of: task)?.ifRunning { completionHandler(nil) }
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
                // There is no stored credential, so the default is to continue. A 401 is then a response.
                return completionHandler(.performDefaultHandling, nil)
            }
            do throws(HTTPError) {
                let credential = try ServerTrust(tls).check(challenge.protectionSpace)
                completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
            } catch {
                transfer(of: task)?.fail(error)
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #else
            // On Linux URLSession asks after the complete 401 response has arrived, and continues only with a
            // credential (swift-corelibs-foundation #5456).
            transfer(of: task)?.completed(task, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #endif
    }

    #if canImport(Darwin)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            guard let transfer = transfer(of: task), let body = transfer.request.body else {
                return completionHandler(nil)
            }
            // URLSession asks again when it sends the request again. A body with a stream can be sent only once, and
            // then fails the transfer.
            completionHandler(BodyPump.stream(body, for: transfer))
        }
    #endif
}
