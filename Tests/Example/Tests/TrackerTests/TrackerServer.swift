import Foundation
import HalyardEndpoints
import HalyardTesting

@testable import Tracker

/// The server from which the cassettes are recorded. It plays the tracker on 127.0.0.1.
enum TrackerServer {
    private static func issue(_ id: Int, _ title: String, _ state: Issue.State = .open) -> Issue {
        let date = Date(timeIntervalSince1970: 1_896_098_523)
        return Issue(id: id, title: title, state: state, labels: ["bug"], createdAt: date)
    }

    static func start() throws -> LoopbackServer {
        let mapper = TrackerAPI(client: .shared, authentication: .none).mapper
        let events = ["opened", "commented", "closed"].map { #"{"issue_id":3,"what":"\#($0)"}"# }
        return try LoopbackServer()
            .on(.post, "/api/v2/token", .json(["access_token": "secret-token"]))
            .on(.get, "/api/v2/issues", where: [.header("Authorization", "Bearer secret-token")]) { request in
                let page = Int(request.queryValue("page") ?? "1") ?? 1
                let next = "<https://tracker.example.com/api/v2/issues?label=bug&page=\(page + 1)>; rel=\"next\""
                let issues = [issue(2 * page - 1, "Issue \(2 * page - 1)"), issue(2 * page, "Issue \(2 * page)")]
                return .json(issues, headers: page < 3 ? ["Link": next] : [:], mapper: mapper)
            }
            .on(.get, "/api/v2/issues", .status(401))
            .on(.get, "/api/v2/issues/{id}") { request in
                let id = Int(request.pathParameters["id"] ?? "") ?? 0
                if id < 100 { return .json(issue(id, "Issue \(id)"), mapper: mapper) }
                return .json(["code": "not_found", "message": "There is no such issue"], status: 404)
            }
            .on(.post, "/api/v2/issues") { request in
                let title = try request.json()["title"].string ?? ""
                if !title.isEmpty { return .json(issue(7, title), status: 201, mapper: mapper) }
                return .json(["code": "title_missing", "message": "An issue needs a title"], status: 422)
            }
            .on(.patch, "/api/v2/issues/{id}", .json(issue(7, "It crashes", .closed), mapper: mapper))
            .on(.delete, "/api/v2/issues/{id}", .status(204))
            .on(.get, "/api/v2/issues/{id}/comments", .json([["id": 1, "author": "ann", "text": "Me too"]]))
            .on(.post, "/api/v2/issues/{id}/comments", .json(["id": 2, "author": "bob", "text": "Fixed"], status: 201))
            .on(.post, "/api/v2/issues/{id}/attachments", .json(["name": "log.txt", "size": 9000], status: 201))
            .on(.get, "/api/v2/issues/{id}/attachments/{name}", .text(String(repeating: "line\n", count: 200)))
            .on(.get, "/api/v2/activity", .events(events, every: .milliseconds(20)))
    }
}

/// Sends the requests for the tracker's host to a server on this machine, so that a cassette has the real URLs.
struct Rerouting: Transport {
    let server: LoopbackServer
    let inner: any Transport

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        var request = request
        let rest = request.url.absoluteString.dropFirst("https://tracker.example.com".count)
        if let url = URL(string: "\(server.baseURL.absoluteString)\(rest)") { try request.setURL(url) }
        return try await inner.send(request, context: context)
    }
}
