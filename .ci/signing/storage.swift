import Foundation
import HalyardAsync
import HalyardSigning

// Uses the services of storage.py, which refuse a request whose signature is wrong. They do not know presigned URLs.
//
//     Storage PORT ID SECRET

struct Service: HTTPProvider {
    let baseURL: URL
    let authentication: Authentication
}

struct Difference: Error { let text: String }

func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ text: String) throws {
    guard value == expected else { throw Difference(text: "\(text): \(value), not \(expected)") }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let url = URL(string: "http://127.0.0.1:\(arguments[1])") else { exit(64) }
let keys = AWSCredentials(accessKeyID: arguments[2], secretAccessKey: arguments[3])
let wrong = AWSCredentials(accessKeyID: arguments[2], secretAccessKey: "wrong")
let storage = Service(baseURL: url, authentication: .aws(keys, region: "eu-central-1", service: "s3"))

for name in ["a.txt", "a b+c.txt", "ä/ö &?=#.txt", "~x'(y)*!,;:@$"] {
    let content = Data("content of \(name)".utf8)
    let route = Route(path: "/files/\(name)")
    try await storage.request(Route(path: "/files/\(name)", method: .put, body: .data(content))).void()
    try expect(try await storage.request(route).data(), content, name)
}
let list = try await storage.request(Route(path: "/files", params: ["list-type": 2, "prefix": "a b+"])).text()
try expect(list.contains("<Key>a b+c.txt</Key>"), true, "the list of files")

let thief = Service(baseURL: url, authentication: .aws(wrong, region: "eu-central-1", service: "s3"))
do {
    try await thief.request(Route(path: "/files/a.txt")).void()
    throw Difference(text: "a wrong secret was accepted")
} catch HTTPError.status(403) {}

let tables = Service(baseURL: url, authentication: .aws(keys, region: "eu-central-1", service: "dynamodb"))
let route = Route(
    path: "/", method: .post, headers: ["X-Amz-Target": "DynamoDB_20120810.ListTables"],
    body: .data(Data("{}".utf8), contentType: "application/x-amz-json-1.0"))
try expect(try await tables.request(route).json()["TableNames"], [], "the list of tables")
print("the services accept every signature")
