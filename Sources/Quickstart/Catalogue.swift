import Foundation
import HalyardTesting

/// Starts a small music catalogue: a real HTTP server in this process, on a free port.
func startCatalogue() throws -> LoopbackServer {
    let server = try LoopbackServer(recordLimit: 1)
    server.on(.get, "/v1/me", .json(User(id: "1", name: "Ann")))
    server.on(.get, "/v1/charts", .json(text: #"{"title": "Charts", "tracks": ["Anchors", "Signals"]}"#))
    server.on(.get, "/v1/track/{id}", .json(text: #"{"error": {"code": 800, "message": "no data"}}"#))
    server.on(.get, "/v1/account", .status(401))
    server.on(.get, "/v1/search") { request in .json(request.queryItems.map { "\($0.name)=\($0.value)" }) }
    server.on(.get, "/v1/user/{id}") { request in
        .json(User(id: request.pathParameters["id"] ?? "", name: "Bo"))
    }
    server.on(.post, "/v1/upload") { request in .json(["bytes": request.body.count]) }
    server.on(.get, "/v1/dump", .data(Data(repeating: 0x5A, count: 16 << 20)))
    server.on(.get, "/v1/never", .status(200).delayed(by: .seconds(3600)))
    return server
}
