import Foundation
import HalyardAsync
import HalyardTesting

// Runs the example of "First steps" against a server, and then the same request by callback.

let server = try LoopbackServer()
server.on(.get, "/v1/me", .json(text: #"{"id": "1", "name": "Ann"}"#))
server.on(.get, "/v1/search", .json(text: #"{"tracks": [{"title": "Anchors"}]}"#))
server.on(.get, "/v1/user/{id}", .status(404))

let api = MusicAPI(baseURL: server.baseURL.appending(path: "v1"))
let lines = try await greet(api)

final class Screen {
    var title = ""
    var users: [User] = []

    func show(_ api: MusicAPI) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            api.request(.me).responseObject { (response: Response<User>) in
                print(response.value?.name ?? "nobody", to: &standardError)
            }
            api.request(.me).responseValue(.json, on: .global()) { _ in done.resume() }
        }
    }
}

struct StandardError: TextOutputStream {
    mutating func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
nonisolated(unsafe) var standardError = StandardError()

await Screen().show(api)
print(lines.joined(separator: ", "))
server.stop()
