import Foundation
import HalyardAsync

// Sends a GET and a POST to a URL, waits for a network for a number of seconds, and prints the events. Each request
// begins after a line of input:
// Patient URL SECONDS
let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]), let seconds = Int(arguments[2]) else {
    fatalError("Patient URL SECONDS")
}
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
let client = HTTPClient(
    engine: EngineConfiguration(proxy: .direct),
    configuration: .init(retry: .never.waitingForNetwork(.seconds(seconds))),
    log: .custom { say("event \($0.kind.rawValue)") })
let api = DefaultProvider(client: client)
for method in [HTTPMethod.get, .post] {
    _ = readLine()
    do {
        let response = try await api.request(Route(url: url, method: method)).response()
        say("done \(response.status) \(response.sendCount)")
    } catch let error as HTTPError { say("failed \(error.reason ?? "") \(error.sendCount)") }
}
