import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The types of HalyardAsync show no content of a response when they are printed or dumped.
@Suite(.timeLimit(.minutes(3)))
struct ShownSecretTests {
    private func values() throws -> [Any] {
        let request = TestAPI(StubTransport()).request(.me)
        let event = ServerSentEvent(data: "hunter2", name: "login", id: "hunter2", retry: .seconds(1))
        return [
            event, request.events, request.lines, request.chunks,
            request.progress(.download), request.sequence(.text),
        ]
    }

    @Test func `a printed or dumped value reveals no content`() throws {
        for value in try values() {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, String(reflecting: value), String(describing: value), "\([value])"] {
                #expect(!text.contains("hunter2"), "\(type(of: value)): \(text)")
            }
        }
    }

    @Test func `a printed event shows its type and the size of its data`() {
        let event = ServerSentEvent(data: "hunter2", name: "login")
        #expect("\(event)" == "ServerSentEvent(login, 7 bytes)")
        #expect(String(reflecting: event) == "ServerSentEvent(login, 7 bytes)")
    }
}
