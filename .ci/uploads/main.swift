import Foundation
import HalyardAsync

// Uploads a file, and prints each event: Uploads tus|draft|draft-104|detected URL FILE
let arguments = CommandLine.arguments
let protocols: [String: ResumableUpload] = [
    "tus": .tus, "draft": .draft, "draft-104": .draft, "detected": .detected,
]
guard arguments.count == 4, var upload = protocols[arguments[1]], let url = URL(string: arguments[2]) else {
    fatalError("Uploads tus|draft|draft-104|detected URL FILE")
}
// tuspyserver keeps a part in memory until it has all of it.
if arguments[1] == "tus" { upload.partSize = 4 << 20 }
if arguments[1] == "draft-104" {
    (upload.createsWithBytes, upload.sendsChecksums, upload.partSize) = (true, true, 4 << 20)
}
// The server may be gone for a while.
upload.reconnecting = .upTo(attempts: 2000)
upload.reconnecting.delay = .milliseconds(10)
upload.reconnecting.maximumDelay = .milliseconds(50)
let api = DefaultProvider(client: HTTPClient(engine: EngineConfiguration(proxy: .direct)))
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
var route = Route(url: url, method: .post)
if arguments[1] == "detected" {
    // The question for the protocol is repeated by the route's policy.
    var policy = RetryPolicy.upTo(attempts: 2000)
    (policy.delay, policy.maximumDelay) = (.milliseconds(10), .milliseconds(50))
    route = route.retry(policy)
}
let response = try await api.upload(URL(filePath: arguments[3]), to: route, resuming: upload) { event in
    switch event {
    case .progress(let progress): say("progress \(progress.completed) \(progress.total ?? -1)")
    case .resumed(let offset): say("resumed \(offset)")
    case .startedOver(let reason): say("over \(reason)")
    case .interrupted(let error, _): say("interrupted \(error)".replacing("\n", with: " "))
    }
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
let memory = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ").dropFirst().first
say("done \(response.status) \(memory ?? "0")")
