import Foundation
import TestSupport
import Testing

@testable import HalyardAsync

/// The format of server-sent events, by the examples of the standard (WHATWG HTML, section 9.2.6) and by a second
/// implementation.
@Suite struct EventParserTests {
    /// Returns the events of a stream that arrives in parts.
    static func events(_ parts: [Data]) -> [ServerSentEvent] {
        var (parser, events) = (EventParser(), [ServerSentEvent]())
        for part in parts {
            parser.append(part)
            while let event = parser.next() { events.append(event) }
        }
        return events
    }

    static func events(_ text: String) -> [ServerSentEvent] { events([Data(text.utf8)]) }

    static let table: [(String, [ServerSentEvent])] = [
        // The examples of section 9.2.6, in order.
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [.init(data: "YHOO\n+2\n10")]),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
            [.init(data: "first event", id: "1"), .init(data: "second event")]
        ),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [.init(data: "first event", id: "1"), .init(data: "second event"), .init(data: " third event")]
        ),
        ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
        ("data\n\ndata\ndata\n\ndata:\n\n", [.init(data: ""), .init(data: "\n"), .init(data: "")]),
        ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
        // The examples of sections 9.2.1 and 9.2.2.
        (
            "data: This is the first message.\n\ndata: This is the second message, it\ndata: has two lines.\n\n"
                + "data: This is the third message.\n\n",
            [
                .init(data: "This is the first message."),
                .init(data: "This is the second message, it\nhas two lines."),
                .init(data: "This is the third message."),
            ]
        ),
        (
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
            [
                .init(data: "73857293", name: "add"), .init(data: "2153", name: "remove"),
                .init(data: "113411", name: "add"),
            ]
        ),
        // Every rule of the format.
        ("\u{FEFF}data: a\n\n", [.init(data: "a")]),
        ("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", [.init(data: "b")]),
        ("data: a\r\rdata: b\r\n\r\ndata: c\n\n", [.init(data: "a"), .init(data: "b"), .init(data: "c")]),
        ("data: a\r\ndata: b\r\r\n", [.init(data: "a\nb")]),
        ("id: 7\n\ndata: a\n\n", [.init(data: "a", id: "7")]),
        ("id: 7\ndata: a\n\nid: x\u{0}y\ndata: b\n\n", [.init(data: "a", id: "7"), .init(data: "b", id: "7")]),
        ("id: 7\ndata: a\n\nid:\ndata: b\n\n", [.init(data: "a", id: "7"), .init(data: "b")]),
        ("retry: 1500\ndata: a\n\ndata: b\n\n", [.init(data: "a", retry: .milliseconds(1500)), .init(data: "b")]),
        ("retry: 1 s\ndata: a\n\n", [.init(data: "a")]),
        ("retry:\ndata: a\n\n", [.init(data: "a")]),
        ("retry: 99999999999999999999999\ndata: a\n\n", [.init(data: "a", retry: .seconds(86_400))]),
        ("event: x\n\ndata: a\n\n", [.init(data: "a")]),
        ("event:\ndata: a\n\n", [.init(data: "a")]),
        ("Data: a\n data: b\ndata : c\nfoo: d\n\n", []),
        (":data: a\n:\n\n", []),
        ("data: a: b\n\n", [.init(data: "a: b")]),
        ("data:\ta\n\n", [.init(data: "\ta")]),
        ("data: é日🚀\nevent: é\n\n", [.init(data: "é日🚀", name: "é")]),
        ("", []), ("\n\n\r\r\n", []), ("data: a\n", []), ("data: a", []),
    ]

    @Test("each rule of the format holds, wherever the stream is split", arguments: table)
    func format(text: String, expected: [ServerSentEvent]) {
        #expect(Self.events(text) == expected)
        let bytes = Data(text.utf8)
        for place in 0...bytes.count {
            #expect(Self.events([bytes.prefix(place), bytes.dropFirst(place)]) == expected, "split at \(place)")
        }
        #expect(Self.events(bytes.map { Data([$0]) }) == expected, "byte by byte")
    }

    @Test("invalid UTF-8 becomes U+FFFD, and the next event is read")
    func invalidText() {
        let bytes = Data("data: a".utf8) + [0xFF] + Data("b\n\ndata: c\n\n".utf8)
        #expect(Self.events([bytes]).map(\.data) == ["a\u{FFFD}b", "c"])
    }

    @Test(
        "random streams yield the same events as a second implementation, whole and in random parts", arguments: 0..<200
    )
    func differential(seed: UInt64) {
        var random = Seeded(seed)
        let pieces = [
            "data", "data:", "data: ", "id: ", "id", "event: ", "retry: ", ":", "1", "a b", "é", "\u{0}", "\u{FEFF}",
            "\n",
            "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n",
        ]
        let text = (0..<60).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let expected = ReferenceEvents.parse(text)
        #expect(Self.events(text) == expected, "\(text.debugDescription)")
        var (rest, parts) = (Data(text.utf8), [Data]())
        while !rest.isEmpty {
            let count = Int.random(in: 1...9, using: &random)
            parts.append(Data(rest.prefix(count)))
            rest = Data(rest.dropFirst(count))
        }
        #expect(Self.events(parts) == expected, "\(text.debugDescription)")
    }

    @Test("a new stream drops an incomplete event but keeps the last ID and the reconnection time")
    func restart() {
        var parser = EventParser()
        parser.append(Data("id: 1\nretry: 20\ndata: a\n\nid: 2\ndata: cut".utf8))
        #expect(parser.next()?.data == "a")
        #expect(parser.next() == nil)
        parser.restart()
        #expect((parser.lastID, parser.reconnectionTime) == ("1", .milliseconds(20)))
        parser.append(Data("data: b\n\n".utf8))
        #expect(parser.next() == ServerSentEvent(data: "b", id: "1"))
    }
}

/// A second implementation, written only from the standard's steps: it decodes the whole stream and splits it.
private enum ReferenceEvents {
    static func parse(_ text: String) -> [ServerSentEvent] {
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var (lines, line): ([String], String.UnicodeScalarView) = ([], .init())
        var index = 0
        while index < scalars.count {
            if scalars[index] == "\r" || scalars[index] == "\n" {
                if scalars[index] == "\r", index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
                lines.append(String(line))
                line = .init()
            } else {
                line.append(scalars[index])
            }
            index += 1
        }
        var events: [ServerSentEvent] = []
        var (data, name, id, lastID, retry): (String, String, String, String, Duration?) = ("", "", "", "", nil)
        for line in lines {
            if line.isEmpty {
                lastID = id
                if !data.isEmpty {
                    data.unicodeScalars.removeLast()
                    events.append(
                        .init(
                            data: data, name: name.isEmpty ? "message" : name, id: lastID.isEmpty ? nil : lastID,
                            retry: retry))
                }
                (data, name, retry) = ("", "", nil)
                continue
            }
            let scalars = line.unicodeScalars
            let colon = scalars.firstIndex(of: ":")
            if colon == scalars.startIndex { continue }
            let field = String(scalars[..<(colon ?? scalars.endIndex)])
            var value = colon.map { scalars[scalars.index(after: $0)...] } ?? scalars[scalars.endIndex...]
            if value.first == " " { value = value.dropFirst() }
            switch field {
            case "data": data += String(value) + "\n"
            case "event": name = String(value)
            case "id": if !value.contains("\u{0}") { id = String(value) }
            case "retry":
                let isNumber = !value.isEmpty && value.allSatisfy { ("0"..."9").contains($0) }
                if isNumber { retry = .milliseconds(min(Int(String(value)) ?? 86_400_000, 86_400_000)) }
            default: break
            }
        }
        return events
    }
}
