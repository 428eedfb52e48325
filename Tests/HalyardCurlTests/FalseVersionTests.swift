import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardCurl

/// A server of HTTP/1.1 whose status line says HTTP/2. libcurl before 8.12 believes it, and would send several requests
/// over one connection at a time.
@Suite(.timeLimit(.minutes(3)))
struct FalseVersionTests {
    @Test(arguments: ["HTTP/2 200 OK", "HTTP/2 200 ", "HTTP/3 200 "], [false, true])
    func `a false version fails one response, and no request gets the response of another`(line: String, isSecure: Bool)
        async throws
    {
        let server = try LoopbackServer(certificate: isSecure ? .valid : nil)
            .on(.get, "/evil/{id}", .raw("\(line)\r\ncontent-length: 4\r\n\r\nevil").delayed(by: .milliseconds(5)))
            .on(.get, "/{id}") { .text($0.path).delayed(by: .milliseconds(5)) }
        let folder = try TemporaryFolder()
        let roots = try server.rootCertificate.map { try folder.write(Data($0.utf8), to: "root.pem") }
        let transport = CurlTransport(
            configuration: EngineConfiguration(tls: .init(roots: roots.map { .file($0) } ?? .system)))
        let outcomes = await inFlight(16, of: 200) { number in
            let path = number % 10 == 3 ? "/evil/\(number)" : "/\(number)"
            return (path, await Result { try await transport.send(to: server, path) })
        }
        for (path, outcome) in outcomes {
            switch outcome {
            case .success(let response): #expect(response.text == path)
            // A request that was about to use such a connection was not sent. The pipeline sends it again.
            case .failure(let error as HTTPError):
                #expect(
                    path.hasPrefix("/evil") && error == HTTPError(.invalidResponse) || !error.mayHaveBeenProcessed,
                    "\(error)")
            case .failure(let error): Issue.record(error)
            }
        }
        #expect(outcomes.filter { $0.0.hasPrefix("/evil") }.allSatisfy { $0.1.isFailure })
    }
}

/// Runs an operation for the numbers from 0, with a limit of how many run at the same time.
func inFlight<Value: Sendable>(
    _ limit: Int, of count: Int, _ operation: @escaping @Sendable (Int) async -> Value
) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        var values: [Value] = []
        for number in 0..<count {
            if number >= limit, let value = await group.next() { values.append(value) }
            group.addTask { await operation(number) }
        }
        for await value in group { values.append(value) }
        return values
    }
}

extension Result where Failure == any Error {
    /// Runs an operation, and catches what it throws.
    init(_ operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }

    var isFailure: Bool { if case .failure = self { true } else { false } }
}
