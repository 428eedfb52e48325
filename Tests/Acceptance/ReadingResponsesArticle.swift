import Foundation
import HalyardAsync

// The examples of the article on responses, word for word. ReadingResponsesTests runs them.

// swift-format-ignore
enum ReadingResponsesArticle {
static func read(_ api: some HTTPProvider, _ print: (Any...) -> Void) async throws {
let response = try await api.request(.report).response()
print(response.status, response.headers["Content-Type"] ?? "none")
for cookie in response.headers.values(for: "set-cookie") { print(cookie) }
for field in response.headers { print(field.name, field.value) }
do {
    try await api.request(.report).void()
} catch let error as HTTPError where error.status == 429 {
    print(error.response?.headers["Retry-After"] ?? "later")
}
let text = response.text
let json = try response.json()
let bytes = response.data
print(response.mediaType ?? "unknown", response.suggestedFilename ?? "no name")
let next = response.links.first { $0.isRelated(by: "next") }?.url
for step in response.redirects { print(step.status, step.url) }
print(response.url, response.sendCount)
print(response.trailers["X-Checksum"] ?? "none")
for early in response.informational where early.status == 103 {
    print(early.headers["Link"] ?? "")
}
if let metrics = response.metrics {
    print(metrics.firstByte, metrics.total, metrics.bytesReceived)
}
_ = (text, json, bytes, next)
}

static func values(_ api: some HTTPProvider) async throws -> (Int, String?) {
let report = api.request(.report)
let total: Int = try await report.object(at: "total")
let version = try await report.response().headers["ETag"]
return (total, version)
}
}

extension Route {
    fileprivate static let report = Route(path: "/report")
}
