import Foundation
import HalyardSigning

// Signs the requests of cases.py, and compares the signatures with those of Amazon's own library.

struct Case: Decodable {
    let method, url, body, service, secret, authorization: String
    let headers: [String: String]
    let token, link: String?
}

let time = Date(timeIntervalSince1970: 1_706_702_400)
var count = 0
while let line = readLine() {
    let item = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
    guard let url = URL(string: item.url), let body = Data(base64Encoded: item.body) else { exit(64) }
    let keys = AWSCredentials(accessKeyID: "AKID", secretAccessKey: item.secret, sessionToken: item.token)
    let signature = AWSSignature(keys, region: "eu-central-1", service: item.service) { time }
    var request = try HTTPRequest(HTTPMethod(item.method), url)
    if !body.isEmpty { request.body = HTTPBody(body) }
    for (name, value) in item.headers { request.headers[name] = value }
    try await signature.authenticate(&request)
    let link = try await signature.presignedURL(for: url, expiresIn: .seconds(600)).absoluteString
    guard request.headers["Authorization"] == item.authorization,
        item.link.map({ link.hasSuffix("Signature=\($0)") }) ?? true
    else {
        print("they differ: \(line)\n\(request.headers["Authorization"] ?? "none")\n\(link)")
        exit(1)
    }
    count += 1
}
print("\(count) signatures are equal")
