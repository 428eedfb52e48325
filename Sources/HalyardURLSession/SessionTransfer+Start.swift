import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a request's body is given to URLSession.
enum Upload {
    case none
    case bytes(Data)
    case file(FileSource)
    /// Pieces of several kinds, or a stream.
    case mixed(HTTPBody)

    init(_ body: HTTPBody?) {
        guard let body else {
            self = .none
            return
        }
        switch (body.segments.count, body.segments.first) {
        case (0, _): self = .bytes(Data())
        case (1, .bytes(let data)?): self = .bytes(data)
        case (1, .file(let file)?): self = .file(file)
        default: self = .mixed(body)
        }
    }

    /// Makes the task that carries an exchange, and starts it.
    ///
    /// - Parameter transport: held until then, for its session takes no task once it is gone.
    static func start(_ exchange: Exchange, on transport: URLSessionTransport) {
        let (session, request) = (transport.session, URLRequest(exchange.request))
        @Sendable func run(_ task: URLSessionTask) {
            transport.delegate.add(exchange, as: task)
            if !exchange.resume(task) { transport.delegate.remove(task) }
        }
        switch Upload(exchange.request.body) {
        case .none: run(session.dataTask(with: request))
        case .bytes(let data): run(session.uploadTask(with: request, from: data))
        case .file(let file):
            do throws(HTTPError) { run(session.uploadTask(with: request, fromFile: try file.unchangedURL())) } catch {
                exchange.end(with: .failure(error.of(exchange.request)))
            }
        case .mixed(let body):
            #if canImport(Darwin)
                var request = request
                if let length = body.length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
                run(session.uploadTask(withStreamedRequest: request))
            #else
                SpoolFile.write(body, for: exchange) { run(session.uploadTask(with: request, fromFile: $0)) }
            #endif
        }
    }
}

extension FileSource {
    /// The file's URL, for URLSession opens it again and sends what it finds then.
    fileprivate func unchangedURL() throws(HTTPError) -> URL {
        let url = URL(filePath: path)
        guard try FileSource(url).length == length else {
            throw HTTPError(.unreadableFile(path), reason: "its length has changed since the request was made")
        }
        return url
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest) {
        self.init(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: SessionSettings.aYear)
        httpMethod = request.method.name
        httpShouldHandleCookies = false
        for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name.rawValue) }
    }
}
