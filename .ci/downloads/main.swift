import Foundation
import HalyardAsync

// Downloads a file over connections, or with 0 in one request that resumes, and prints the progress:
// Downloads URL FILE CONNECTIONS [SHA256]
let arguments = CommandLine.arguments
guard arguments.count >= 4, let url = URL(string: arguments[1]), let connections = Int(arguments[3]) else {
    fatalError("Downloads URL FILE CONNECTIONS [SHA256]")
}
// The server may be gone for a while.
var policy = RetryPolicy.upTo(attempts: 200)
policy.delay = .milliseconds(10)
policy.maximumDelay = .milliseconds(50)
let client = HTTPClient(
    engine: EngineConfiguration(proxy: .direct), configuration: .init(retry: policy, retryBudget: .unlimited))
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
let (api, file) = (DefaultProvider(client: client), URL(filePath: arguments[2]))
let digest = arguments.count > 4 ? arguments[4] : nil
let report: @Sendable (TransferProgress) -> Void = { say("progress \($0.fraction ?? -1)") }
if connections > 0 {
    _ = try await api.download(
        Route(url: url), to: file, connections: connections, sha256: digest, onProgress: report)
} else {
    _ = try await api.request(Route(url: url)).downloadProgress(on: DispatchQueue(label: "progress"), report)
        .download(to: file, resuming: true, sha256: digest)
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
let memory = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ").dropFirst().first
say("done \(memory ?? "0")")
