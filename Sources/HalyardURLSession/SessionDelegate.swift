import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What URLSession calls, on the session's queue, one call at a time. It finds the exchange and passes on.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State: Sendable {
        /// The exchanges that have not ended.
        var open: [ObjectIdentifier: Exchange] = [:]
        /// The exchanges that URLSession may tell of, by the identifier of their task.
        var exchanges: [Int: Exchange] = [:]
        var isShutDown = false
    }

    private let state = Lock(State())
    private let tls: EngineConfiguration.TLS

    init(tls: EngineConfiguration.TLS) { self.tls = tls }

    /// Takes an exchange in, until its end; ends it when the engine was shut down.
    func open(_ exchange: Exchange) {
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.open[ObjectIdentifier(exchange)] = exchange }
            return state.isShutDown
        }
        if isShutDown { return exchange.fail(HTTPError(.shutDown)) }
        exchange.atEnd { [weak self, id = ObjectIdentifier(exchange)] in
            _ = self?.state.withLock { $0.open.removeValue(forKey: id) }
        }
    }

    func add(_ exchange: Exchange, as task: URLSessionTask) {
        state.withLock { $0.exchanges[task.taskIdentifier] = exchange }
    }

    @discardableResult
    func remove(_ task: URLSessionTask) -> Exchange? {
        state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
    }

    func shutDown() {
        let exchanges = state.withLock { state in
            state.isShutDown = true
            return Array(state.open.values)
        }
        for exchange in exchanges { exchange.fail(HTTPError(.shutDown)) }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        state.withLock { $0.exchanges[task.taskIdentifier] }
    }

    // MARK: What URLSession tells

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.completed(task, error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(totalBytesSent)
    }

    // MARK: What URLSession asks

    /// The pipeline follows redirects; here they are responses.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(Darwin)
            completionHandler(nil)
        #else
            // Of a task that was cancelled it expects no answer any more, and ends the process when it gets one.
            exchange(of: task)?.unlessOver { completionHandler(nil) }
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
                // Without a credential anywhere the default is to go on: a 401 is a response.
                return completionHandler(.performDefaultHandling, nil)
            }
            do throws(HTTPError) {
                let credential = try ServerTrust(tls).check(challenge.protectionSpace)
                completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
            } catch {
                if let exchange = exchange(of: task) { exchange.end(with: .failure(error.of(exchange.request))) }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        #else
            // It asks when all of the 401 is here, and goes on only with a credential (#5456).
            exchange(of: task)?.completed(task, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #endif
    }

    #if canImport(Darwin)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            guard let exchange = exchange(of: task), let body = exchange.request.body else {
                return completionHandler(nil)
            }
            // Asked again, a body that holds a stream fails the exchange: it can be sent once.
            completionHandler(BodyPump.stream(body, for: exchange))
        }
    #endif
}
