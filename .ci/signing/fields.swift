import Foundation
import HalyardSigning

// Reads the structured fields of fields.py and writes them again, and compares them with those of another library.

struct Case: Decodable {
    let kind, text: String
    let canonical: String?
}

func canonical(_ item: Case) throws -> String? {
    var headers = HTTPHeaders()
    headers["Field"] = item.text
    switch item.kind {
    case "item": return try headers.structuredItem("Field")?.fieldValue()
    case "list": return try headers.structuredList("Field").fieldValue()
    default: return try headers.structuredDictionary("Field").fieldValue()
    }
}

var count = 0
while let line = readLine() {
    let item = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
    let found: String?
    do { found = try canonical(item) } catch { found = nil }
    guard found == item.canonical else {
        print("they differ: \(line)\n\(found ?? "an error")")
        exit(1)
    }
    count += 1
}
print("\(count) structured fields are equal")
