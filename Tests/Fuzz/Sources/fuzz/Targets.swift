import Foundation
import HalyardAsync

/// Names and values in a query: the checker must decode the same pairs.
@Sendable func fuzzQuery(_ chance: inout Chance, _ checker: Checker) async throws {
    let (params, pairs) = pairs(&chance)
    try await checker.expect(
        ["kind": "query", "pairs": pairs], of: Route(path: "/q", params: params, encoding: .url))
}

/// Names and values in a form.
@Sendable func fuzzForm(_ chance: inout Chance, _ checker: Checker) async throws {
    let (params, pairs) = pairs(&chance)
    let route = Route(path: "/f", method: .post, params: params, encoding: .form)
    try await checker.expect(["kind": "form", "pairs": pairs], of: route)
}

private func pairs(_ chance: inout Chance) -> (Parameters, JSON) {
    var params = Parameters()
    var pairs: [JSON] = []
    for _ in 0..<chance.number(1..<6) {
        let name = chance.text(1..<8)
        if chance.oneIn(4) {
            let values = (0..<chance.number(0..<4)).map { _ in chance.text() }
            params.append(values, for: name)
            pairs += values.map { [.string(name), .string($0)] }
        } else {
            let value = chance.text()
            params.append(value, for: name)
            pairs.append([.string(name), .string(value)])
        }
    }
    return (params, .array(pairs))
}

/// Parts of every kind: the checker must find exactly these parts.
@Sendable func fuzzMultipart(_ chance: inout Chance, _ checker: Checker) async throws {
    var form: [MultipartPart] = []
    var expected: [JSON] = []
    for _ in 0..<chance.number(1..<5) {
        let name = chance.text()
        switch chance.number(0..<3) {
        case 0:
            let value = chance.text()
            form.append(.text(value, name: name))
            expected.append(["name": .string(name), "text": .string(value)])
        case 1:
            let (filename, data) = (chance.text(), Data(chance.bytes(chance.number(0..<3000))))
            form.append(.data(data, name: name, filename: filename, contentType: "image/png"))
            expected.append([
                "name": .string(name), "filename": .string(filename), "type": "image/png",
                "data": .string(data.base64EncodedString()),
            ])
        default:
            let (filename, data) = (chance.text(), Data(chance.bytes(chance.number(0..<3000))))
            let file = FileManager.default.temporaryDirectory.appending(path: "halyard-fuzz-\(UUID().uuidString).csv")
            try data.write(to: file)
            form.append(.file(file, name: name, filename: filename, contentType: "text/csv"))
            expected.append([
                "name": .string(name), "filename": .string(filename), "type": "text/csv",
                "data": .string(data.base64EncodedString()),
            ])
            defer { try? FileManager.default.removeItem(at: file) }
            try await checker.expect(
                ["kind": "multipart", "parts": .array(expected)], of: Route(path: "/m", method: .post, multipart: form))
            return
        }
    }
    try await checker.expect(
        ["kind": "multipart", "parts": .array(expected)], of: Route(path: "/m", method: .post, multipart: form))
}

/// Header fields: each is rejected before anything is sent, or arrives unchanged and without further fields.
@Sendable func fuzzHeader(_ chance: inout Chance, _ checker: Checker) async throws {
    let name = chance.oneIn(3) ? chance.text(1..<4) : "X-Fuzz"
    let value = chance.text()
    var headers = HTTPHeaders()
    headers[name] = value
    let route = Route(path: "/h", headers: headers)
    if headers.isEmpty { return await checker.expectRefusal(of: route, .invalidHeader(name)) }
    let field = headers[0]
    let framing = [
        "connection", "content-length", "expect", "te", "trailer", "upgrade", "host", "accept", "user-agent",
    ]
    if framing.contains(name.lowercased()) { return }
    try await checker.expect(
        ["kind": "header", "name": .string(field.name.rawValue), "value": .string(field.value)], of: route)
}

/// Values in a path: each is rejected, or is one segment.
@Sendable func fuzzPath(_ chance: inout Chance, _ checker: Checker) async throws {
    let value = chance.text(0..<6)
    if ["", ".", ".."].contains(value) {
        return await checker.expectRefusal(of: Route(path: "/a/\(value)/b"), .invalidPath("/a/\(value)/b"))
    }
    try await checker.expect(["kind": "path", "value": .string(value)], of: Route(path: "/a/\(value)/b"))
}

/// JSON in both directions: Python parses the output, and its own output must parse to the same value. For broken JSON,
/// Halyard and Python must agree whether it is valid.
@Sendable func fuzzJSON(_ chance: inout Chance, _ checker: Checker) async throws {
    let json = value(&chance, depth: 0)
    let echo = try await checker.expect(["kind": "json"], of: Route(path: "/j", method: .post, body: .json(json)))
    guard try echo.json() == json else { fatalError("\(json) came back as \(echo.text)") }

    var bytes = [UInt8](json.encoded())
    for _ in 0..<chance.number(1..<4) where !bytes.isEmpty {
        let place = chance.number(0..<bytes.count)
        switch chance.number(0..<4) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(UInt8(truncatingIfNeeded: chance.next()), at: place)
        case 2: bytes[place] ^= 1 << UInt8(chance.number(0..<8))
        default:
            bytes.insert(contentsOf: Array(#"{}[],:"\u0eE+-.tfn"#.utf8).shuffled(using: &chance).prefix(2), at: place)
        }
    }
    let parsed = try? JSON(parsing: bytes)
    let decoded = try? ObjectMapper.standard.decode(JSON.self, from: Data(bytes))
    guard parsed == decoded else { fatalError("the mapper reads \(Data(bytes).base64EncodedString()) differently") }
    let isOurs = parsed != nil
    let answer = try await checker.expect(
        ["kind": "isJSON"], of: Route(path: "/k", method: .post, body: .data(Data(bytes))))
    guard answer.text == "\(isOurs)" else {
        fatalError("Python says \(answer.text) to \(Data(bytes).base64EncodedString()), the reader \(isOurs)")
    }
}

private func value(_ chance: inout Chance, depth: Int) -> JSON {
    switch chance.number(0..<(depth > 5 ? 6 : 9)) {
    case 0: return .null
    case 1: return .bool(chance.oneIn(2))
    case 2: return .number(JSON.Number(Int.random(in: .min ... .max, using: &chance)))
    case 3: return .number(JSON.Number(UInt64.random(in: 0 ... .max, using: &chance)))
    case 4:
        let double = Double(bitPattern: chance.next())
        return JSON.Number(double).map { .number($0) } ?? .null
    case 5: return .string(chance.text())
    case 6, 7:
        let members = (0..<chance.number(0..<5)).map { _ in
            (key: chance.text(), value: value(&chance, depth: depth + 1))
        }
        return .object(JSON.Object(members))
    default: return .array((0..<chance.number(0..<5)).map { _ in value(&chance, depth: depth + 1) })
    }
}
