import Foundation
import HalyardOpenAPI

// Calls every operation of app.py with the generated client. What was sent comes back unchanged.

struct Difference: Error, CustomStringConvertible { let description: String }

func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: Int = #line) throws {
    guard value == expected else { throw Difference(description: "line \(line): \(value), not \(expected)") }
}

guard let url = URL(string: CommandLine.arguments[1]), let day = CalendarDate("2024-02-29") else { exit(64) }
typealias API = EverythingAPI
let api = API(baseURL: url)
let text = "ä/ ?&=+%,;\u{1F389}"
let id = UUID()
let date = Date(timeIntervalSince1970: 1_700_000_000)

// Models.
let thing = ThingInput(
    id: id, count: 1, big: 1 << 60, ratio: 0.1, isNew: true, madeAt: date, day: day, home: url,
    price: .string("0.10"), color: .noneValue, level: .minus1, size: Size(width: 1.5),
    sizes: [Size(width: 2, height: 3)],
    byName: ["a b": Size(width: 4)], note: nil, missing: text, pet: .cat(Cat(kind: .cat, lives: 7)),
    either: .boolList([true, false]), anything: ["x": [1, nil]], class: "c",
    tree: PartInput(name: "a", parts: [PartInput(name: "b")], main: PartInput(name: "c")))
let back = try await api.send(API.Models.echoThing(body: thing))
try expect(back.id, id)
try expect(back.big, 1 << 60)
try expect(back.ratio, 0.1)
try expect(back.madeAt, date)
try expect(back.day, day)
try expect(back.price, "0.10")
try expect(back.color, thing.color)
try expect(back.level, .minus1)
try expect(back.sizes, thing.sizes)
try expect(back.byName, thing.byName)
try expect(back.note, nil)
try expect(back.missing, text)
try expect(back.pet, .cat(Cat(kind: .cat, lives: 7)))
try expect(back.either, .boolList([true, false]))
try expect(back.anything, thing.anything)
try expect(back.class, "c")
try expect(back.tree.main?.name, "c")
try expect(back.tree.parts?.map(\.name), ["b"])
let choices = Choices(
    versions: [.second(Second(version: .n2, title: "t")), .first(First(version: .n1, name: "n"))],
    words: [.fruit(.pear), .color(.darkGreen), .int(3)])
try expect(try await api.send(API.Models.echoChoices(body: choices)), choices)
let open = Open(name: "n", additionalProperties: ["name": "hidden", "more": [1]])
try expect(try await api.send(API.Models.echoOpen(body: open)), Open(name: "n", additionalProperties: ["more": [1]]))
let sizes = [Size(width: 1), Size(width: 2, height: 0)]
try expect(try await api.send(API.Models.echoSizes(body: sizes)), sizes)
let two = try await api.send(API.Models.echoTwo(body: BodyEchoTwo(size: sizes[1], color: .darkGreen)))
try expect(two, ["size": ["width": 2, "height": 0], "color": "dark-green", "count": 1])
try expect(try await api.send(API.Models.pet(kind: "dog")), .dog(Dog(kind: .dog, tricks: ["sit"])))
try expect(try await api.send(API.Models.maybe()), nil)
try expect(try await api.send(API.Models.maybe(there: true)), Size(width: 1))

// Parameters.
try expect(
    try await api.send(
        API.ParametersRoutes.paths(
            text: "ä ?&=+%,;", number: -7, flag: true, id: id, color: .darkGreen, level: .n2, rest: "a/b c")),
    ["ä ?&=+%,;", -7, true, JSON(id.uuidString.lowercased()), "dark-green", 2, "a/b c"])
let query = try await api.send(
    API.ParametersRoutes.query(
        text: text, number: 1, ratio: 1e-3, when: ISO8601Date(date), color: .red, many: [3, 4], words: [text, "b"],
        flag: false, aB: "y", either: true))
try expect(query["text"], JSON(text))
try expect(query["ratio"], 0.001)
try expect(query["when"], "2023-11-14T22:13:20Z")
try expect(query["many"], [3, 4])
try expect(query["words"], [JSON(text), "b"])
try expect(query["flag"], false)
try expect(query["renamed"], "y")
try expect(query["either"], true)
let filter = try await api.send(API.ParametersRoutes.filter(colors: [.red, .darkGreen], after: ISO8601Date(date)))
try expect(filter, Filter(limit: 10, colors: [.red, .darkGreen], after: date))
try expect(
    try await api.send(API.ParametersRoutes.headers(xCount: 3, xWords: ["a"], session: "s=1, 2", theme: .red)),
    [3, ["a"], "s=1,%202", "red"])
try expect(try await api.send(API.ParametersRoutes.headers(xCount: 3)), [3, nil, nil, nil])

// Bodies.
let form = BodyForm(name: text, count: 2, colors: [.red, .darkGreen])
try expect(try await api.send(API.Bodies.form(body: form)), [JSON(text), 2, ["red", "dark-green"]])
let file = MultipartPart.data(Data("abc".utf8), name: "file", filename: "ä.png", contentType: "image/png")
let others = [1, 2].map { MultipartPart.data(Data(count: $0), name: "others", filename: "o") }
try expect(
    try await api.send(API.Bodies.files(file: file, others: others, name: text, data: Data(count: 5))),
    ["ä.png", "image/png", 3, [1, 2], JSON(text), 5])
try expect(try await api.send(API.Bodies.text(body: text)), text)
let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
try expect(try await api.send(API.Bodies.bytes(body: .data(bytes, contentType: "application/octet-stream"))), bytes)

// Responses, and errors by status.
try await api.send(API.Responses.delete(id: 1))
var widths: [Double] = []
for try await size in api.events(API.Responses.events()) { widths.append(size.width) }
try expect(widths, [1, 2, 3])
do {
    _ = try await api.send(API.Responses.fail(status: 404))
} catch let error as Message { try expect(error.localizedDescription, "no such thing") }
do {
    _ = try await api.send(API.Responses.fail(status: 503))
} catch let error as HTTPError { try expect(error.status, 503) }
do {
    _ = try await api.send(API.ParametersRoutes.headers(xCount: 1, theme: Color(rawValue: "x")))
    throw Difference(description: "an unknown color was accepted")
} catch let error as HTTPValidationError { try expect(error.detail?.first?.loc.last, .string("theme")) }

// Security.
try expect(try await API(baseURL: url, authentication: .bearer("t")).send(API.Security.bearer()), "t")
try expect(
    try await API(baseURL: url, authentication: .apiKey("k", header: "X-Key")).send(API.Security.key()), "k")
try expect(
    try await API(baseURL: url, authentication: .apiKey("k", query: "key")).send(API.Security.queryKey()), "k")
try expect(
    try await API(baseURL: url, authentication: .apiKey("sid=k", header: "Cookie")).send(API.Security.cookieKey()), "k")
print("every operation holds")
