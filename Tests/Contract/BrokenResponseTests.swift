import ContractEngines
import Foundation
import HalyardHTTP
import TestSupport
import Testing

private let ok = "HTTP/1.1 200 OK\r\n"
private let okay = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

extension Contract {
    /// A response that breaks the rules is an error: never a success, a hang or a crash.
    @Suite struct BrokenResponseTests {
        @Test(.faults(24), arguments: Engine.http1) func `a broken response fails`(engine: Engine) async throws {
            let rows = [
                Row("nothing", "", is: .error),
                Row("shorter than Content-Length", ok + "Content-Length: 10\r\n\r\nhalf", is: .error),
                Row("chunk size ZZ", ok + "Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n", is: .error),
                Row("missing last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", is: .error),
                Row(
                    "chunk size beyond 64 bits", ok + "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
                    is: .error),
                Row("headers end after a line", ok + "Content-Length: 2\r\n", is: .error),
                Row(
                    "connection closed inside the header block", ok + "Content-Le", is: .error,
                    butCorelibs: "swift-corelibs-foundation #5285: SIGILL"),
                Row("a 100 and no more", "HTTP/1.1 100 Continue\r\n\r\n", is: .error),
                Row("no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n", is: .error),
                Row("HTTP/0.9", "hello", is: .error),
                Row("no colon", ok + "no colon here\r\nContent-Length: 0\r\n\r\n", is: .error),
                Row("NUL in a header", ok + "X-A: a\u{0}b\r\nContent-Length: 0\r\n\r\n", is: .error),
            ]
            try await Row.check(rows, on: engine)
        }

        @Test(.faults(25), arguments: Engine.http1) func `contradictory lengths fail`(engine: Engine) async throws {
            let rows = [
                Row(
                    "two different", ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", is: .error
                ),
                Row("two alike", ok + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", is: .response(200, "abc")),
                Row("-5", ok + "Content-Length: -5\r\n\r\nabc", is: .error),
                Row("5,6", ok + "Content-Length: 5,6\r\n\r\nabcdef", is: .error),
                Row(
                    "from 2^63-512", ok + "Content-Length: 9223372036854775296\r\n\r\nabc", is: .error,
                    butCorelibs: "swift-corelibs-foundation: SIGILL, arithmetic overflow"),
                Row("2^63", ok + "Content-Length: 9223372036854775808\r\n\r\nabc", is: .error),
                Row("20 digits", ok + "Content-Length: 99999999999999999999\r\n\r\nabc", is: .error),
            ]
            try await Row.check(rows, on: engine)
        }

        @Test(.faults(26), arguments: Engine.http1) func `an invalid status is an error`(engine: Engine) async throws {
            let rows = ["99", "1000", "2e2", "20", "-200", "000"].map {
                Row("status \($0)", "HTTP/1.1 \($0) X\r\nContent-Length: 0\r\n\r\n", is: .error)
            }
            try await Row.check(rows, on: engine)
        }

        @Test(.faults(27), arguments: Engine.http1) func `fifty 1xx precede the response`(engine: Engine) async throws {
            let rows = ["100 Continue", "103 Early Hints"].map {
                Row(
                    $0, String(repeating: "HTTP/1.1 \($0)\r\nLink: </a>\r\n\r\n", count: 50) + okay,
                    is: .response(200, "ok"))
            }
            try await Row.check(rows, on: engine)
        }

        @Test(.faults(29), arguments: Engine.http1) func `header floods are read or fail`(engine: Engine) async throws {
            let many = (0..<20_000).map { "X-\($0): v\r\n" }.joined()
            var rows = [
                Row(
                    "1 MB of header",
                    ok + "X-A: \(String(repeating: "v", count: 1 << 20))\r\nContent-Length: 2\r\n\r\nok",
                    is: .either),
                Row(
                    "20 000 headers", ok + many + "Content-Length: 2\r\n\r\nok", within: .seconds(1), is: .either,
                    butCorelibs: "swift-corelibs-foundation: it takes seconds"),
            ]
            rows[1].isIntermittent = true
            try await Row.check(rows, on: engine)
        }

        @Test(.faults(33), arguments: Engine.http1) func `trailers leave the body intact`(engine: Engine) async throws {
            let trailers = ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: late\r\n\r\n"
            let sigill: Comment = "swift-corelibs-foundation: SIGILL, Transfer completed, but there's no response"
            try await Row.check(
                [Row("trailers", trailers, is: .response(200, "abc"), butCorelibs: sigill)], on: engine)
        }

        @Test(.faults(34), arguments: Engine.http1)
        func `a response without a reason phrase, with Latin-1 bytes or bare LF is read`(engine: Engine)
            async throws
        {
            let latin = Data((ok + "X-A: caf").utf8) + Data([0xE9]) + Data("\r\nContent-Length: 2\r\n\r\nok".utf8)
            let corelibs: Comment = "swift-corelibs-foundation: the whole response fails"
            let fine = Row.Expected.response(200, "ok")
            let rows = [
                Row("no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", is: fine, butCorelibs: corelibs),
                Row("empty reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", is: fine),
                Row(RawCase("Latin-1", responses: [latin]), is: fine, butCorelibs: corelibs),
                Row("bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", is: fine, butCorelibs: corelibs),
                Row("folded", ok + "X-A: one\r\n  two\r\nContent-Length: 2\r\n\r\nok", is: fine),
                Row("HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nok", is: fine),
                Row(
                    "both framings", ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                    is: fine),
            ]
            try await Row.check(rows, on: engine)
        }

        @Test(arguments: Engine.http1)
        func `a folded first header line over a reused handle fails`(engine: Engine) async throws {
            let folded = ok + " X-A: 1\r\nContent-Length: 2\r\n\r\nok"
            var rows = [
                Row("folded first", okay, folded, is: .error),
                Row("folded by a tab", okay, folded.replacing("\n X", with: "\n\tX"), is: .error),
                Row("a colon alone", okay, folded.replacing("X-A", with: ""), is: .error),
                Row("after a 100", okay, "HTTP/1.1 100 Continue\r\n\r\n" + folded, is: .error),
                Row("after a 103", okay, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + folded, is: .error),
            ]
            for index in rows.indices { rows[index].isIntermittent = true }  // freed memory may still look valid
            try await Row.check(rows, on: engine)
        }
    }
}

extension Contract {
    /// An engine passes on a response without acting on its header fields.
    @Suite struct ObedienceTests {
        @Test(arguments: Engine.http1)
        func `redirects are returned as responses, whatever their Location`(engine: Engine) async throws {
            let sigill: Comment = "swift-corelibs-foundation: SIGILL, Invalid URL, before the delegate is asked"
            var rows = [
                "next", "/b", "file:///etc/passwd", "mailto:a@b.c", "http://127.0.0.1:1/x", "//[::1]:1/", "//a%00b/",
            ]
            .map { location in
                Row(
                    location, "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 5\r\n\r\nmoved",
                    is: .response(302, "moved"), butCorelibs: location.hasPrefix("//") ? sigill : nil)
            }
            rows.append(
                Row(
                    "none", "HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nmoved", is: .response(302, "moved"),
                    butCorelibs: "swift-corelibs-foundation: the body of a redirect without Location is dropped"))
            for status in [301, 303, 307, 308] {
                let moved = "HTTP/1.1 \(status) Moved\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved"
                rows.append(
                    Row("\(status) of a POST", moved, method: "POST", body: "b", is: .response(status, "moved")))
            }
            try await Row.check(rows, on: engine)
        }

        @Test(arguments: Engine.http1)
        func `a request can be canceled while a redirect arrives`(engine: Engine) async throws {
            let moved = Data("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved".utf8)
            let sent = RawCase("cancelled", responses: [moved], cancellations: 300)
            try await Row.check([Row(sent, is: .response(302, "moved"))], on: engine)
        }

        @Test(arguments: Engine.http1)
        func `a 401 with WWW-Authenticate and no credentials is returned as a response`(engine: Engine) async throws {
            let schemes = ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "NTLM", "X"]
            var rows = schemes.map {
                Row(
                    $0, "HTTP/1.1 401 No\r\nWWW-Authenticate: \($0)\r\nContent-Length: 2\r\n\r\nno",
                    is: .response(401, "no"))
            }
            rows.append(
                Row(
                    "407", "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno",
                    is: .response(407, "no")))
            try await Row.check(rows, on: engine)
        }

        @Test(arguments: Engine.http1)
        func `a POST or upload over a stale kept connection gets a response or an error`(engine: Engine)
            async throws
        {
            let ready = Row.Expected.response(200, "ok")
            let hangs: Comment = "swift-corelibs-foundation: the body is sent again empty, then a hang"
            // If a POST has no response, the client cannot know whether the server has processed it: an error is right.
            // A 200 is right too, if the engine detected in time that the connection was closed.
            var rows = ["POST", "PUT"].map {
                Row(
                    $0, okay, okay, okay, method: $0, body: "body", is: $0 == "POST" ? .either : ready,
                    butCorelibs: hangs)
            }
            for index in rows.indices { rows[index].isIntermittent = true }
            rows.append(Row("GET", okay, okay, okay, is: ready))
            try await Row.check(rows, on: engine)
        }
    }
}
