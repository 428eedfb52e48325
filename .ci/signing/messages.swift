import Foundation
import HalyardSigning

// Checks the signatures of messages.py, and signs the same requests for it.

struct Case: Codable {
    let method, url: String
    let components: [String]
    var headers: [String: String]
}

let key = MessageSignatureKey.hmacSHA256(Data("a secret of both sides".utf8), id: "key-1")

/// The component of a text such as `"@query-param";name="a"`.
func component(_ text: String) throws -> StructuredItem {
    var headers = HTTPHeaders()
    headers["Component"] = text
    guard let item = try headers.structuredItem("Component") else { exit(64) }
    return item
}

var count = 0
while let line = readLine() {
    var item = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
    guard let url = URL(string: item.url) else { exit(64) }
    var request = try HTTPRequest(HTTPMethod(item.method), url)
    for (name, value) in item.headers { request.headers[name] = value }
    let components = try item.components.map(component)
    do { try await key.verify(request, covering: components, maximumAge: nil) } catch {
        FileHandle.standardError.write(Data("\(error): \(line)\n".utf8))
        exit(1)
    }
    (request.headers["Signature"], request.headers["Signature-Input"]) = (nil, nil)
    try await MessageSignature(key, covering: components, label: "pyhms").authenticate(&request)
    for field in request.headers { item.headers[field.name.rawValue] = field.value }
    print(String(decoding: try JSONEncoder().encode(item), as: UTF8.self))
    count += 1
}
