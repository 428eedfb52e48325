import HalyardFoundationNetworking
import HalyardHTTP

extension SessionTransfer {
    /// Makes the URLSession task of the transfer, and starts it. `transport` is the engine. It is kept until the task
    /// is made, because its session accepts no task after the engine is freed.
    func start(on transport: URLSessionTransport) {
        var prepared = URLRequest(request, transport.configuration)
        if expectsContinue { prepared.setValue("100-continue", forHTTPHeaderField: "Expect") }
        let (session, urlRequest) = (transport.session, prepared)
        @Sendable func run(_ task: URLSessionTask) {
            transport.delegate.add(self, as: task)
            if !start(task) { transport.delegate.remove(task) }
        }
        switch UploadSource(request.body) {
        case .none: run(session.dataTask(with: urlRequest))
        case .bytes(let data): run(session.uploadTask(with: urlRequest, from: data))
        case .file(let file):
            do throws(HTTPError) {
                run(session.uploadTask(with: urlRequest, fromFile: try file.unchangedURL()))
            } catch { fail(error) }
        case .mixed(let body):
            #if canImport(Darwin)
                var urlRequest = urlRequest
                if let length = body.length { urlRequest.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
                run(session.uploadTask(withStreamedRequest: urlRequest))
            #else
                SpoolFile.write(body, for: self) { run(session.uploadTask(with: urlRequest, fromFile: $0)) }
            #endif
        }
    }
}

/// The forms in which URLSession accepts the body of a request.
private enum UploadSource {
    case none
    case bytes(Data)
    case file(FileSource)
    /// Several segments, or a stream.
    case mixed(HTTPBody)

    init(_ body: HTTPBody?) {
        guard let body else {
            self = .none
            return
        }
        switch (body.segments.count, body.segments.first) {
        case (0, _): self = .bytes(Data())
        case (1, .bytes(let data)?): self = .bytes(data)
        case (1, .file(let file)?) where file.mayBeReopened: self = .file(file)
        default: self = .mixed(body)
        }
    }
}

extension FileSource {
    /// The URL of the file. URLSession opens the file itself, and sends what it contains then. Throws ``HTTPError`` of
    /// kind `unreadableFile` if the length of the file has changed.
    fileprivate func unchangedURL() throws(HTTPError) -> URL {
        let url = URL(filePath: path)
        guard try FileSource(url).length == length else {
            throw HTTPError(.unreadableFile(path), reason: "its length has changed since the request was made")
        }
        return url
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, _ configuration: EngineConfiguration) {
        self.init(
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: SessionSettings.oneYear)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        #if canImport(Darwin)
            assumesHTTP3Capable = configuration.httpVersion == .http3
        #endif
        for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name.rawValue) }
    }
}
