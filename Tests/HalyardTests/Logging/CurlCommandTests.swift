import Foundation
import Halyard
import TestSupport
import Testing

/// The text of curl commands, and how a real shell reads it.
struct CurlCommandTests {
    private func request(
        _ method: HTTPMethod = .get, _ url: String = "https://h.example/x", _ headers: HTTPHeaders = [:],
        _ body: HTTPBody? = nil
    ) throws -> HTTPRequest {
        try HTTPRequest(
            method, try #require(URL(string: url)),
            headers: HTTPHeaders(["Accept": "*/*", "User-Agent": "Halyard"], headers), body: body)
    }

    /// Runs a command in a POSIX shell with a fake curl, and returns its arguments and its standard input.
    private func run(_ line: String) throws -> (arguments: [String], input: Data) {
        let script = """
            curl() {
                printf '%s\\0' "$@"
                for argument; do last=$argument; done
                if [ "$last" = @- ]; then printf '\\0'; cat; fi
            }
            \(line)
            """
        // As a file: a line may be longer than an argument.
        let folder = try TemporaryFolder()
        let file = try folder.write(script, to: "line.sh")
        let (data, end) = try ChildProcess(URL(filePath: "/bin/sh"), [file.path(percentEncoded: false)]).wait()
        #expect(end == .exited(0))
        var parts = data.split(separator: 0, omittingEmptySubsequences: false)
        var input = Data()
        if let end = parts.firstIndex(of: Data("@-".utf8)), end + 2 <= parts.count {
            input = Data(parts[(end + 2)...].joined(separator: [0]))
            parts = Array(parts[...end]) + [Data()]
        }
        return (parts.dropLast().map { String(decoding: $0, as: UTF8.self) }, input)
    }

    @Test func `a simple request produces a simple command`() throws {
        #expect(
            try request().curlCommand()
                == "curl https://h.example/x -H 'Accept: */*' -H 'User-Agent: Halyard'")
        #expect(
            try request(
                .post, "https://h.example/x?a=1&b=2", ["Content-Type": "application/json"], HTTPBody(Data("{}".utf8))
            )
            .curlCommand() == """
                curl -X POST 'https://h.example/x?a=1&b=2' -H 'Accept: */*' -H 'User-Agent: Halyard' \
                -H 'Content-Type: application/json' --data-binary '{}'
                """)
        #expect(try request(.head).curlCommand().hasPrefix("curl -I https"))
        #expect(try request(.put).curlCommand().hasSuffix(" -H Content-Type: --data-binary ''"))
        #expect(
            try HTTPRequest(.get, request().url).curlCommand() == "curl https://h.example/x -H Accept: -H User-Agent:")
    }

    @Test(arguments: [
        "it's", "''", "'", "a\"b", "$HOME `id` $(id) \\ \\n !! # ~ * ? | & ; < >", "line\nfeed\n\n", "", "日本 é",
        "'\u{301}",
        "%s %d %%", "-n", "@file", "\\", "\\'", "{a,b}", "[a]", "tab\there", "cr\r\n", "\u{1B}[31m", "\u{2028}",
        "--data", "a\\", "😀👨‍👩‍👧", " ",
    ])
    func `a shell passes any text to curl unchanged`(_ text: String) throws {
        let body = HTTPBody(Data(text.utf8))
        let line = try request(
            .post, "https://h.example/?q=it's%20$(id)", ["X-Y": text.filter { !$0.isNewline && $0 != "\u{1B}" }], body
        )
        .curlCommand(showingSecrets: true)
        let (arguments, input) = try run(line)
        #expect(arguments[2] == "https://h.example/?q=it's%20$(id)")
        let value = try HTTPHeaders.Field("X-Y", text.filter { !$0.isNewline && $0 != "\u{1B}" }).value
        #expect(arguments.contains(value.isEmpty ? "X-Y;" : "X-Y: \(value)"))
        if arguments.last == "@-" {
            #expect(input == Data(text.utf8))
        } else {
            #expect(arguments.last == text)
            #expect(arguments.dropLast().last == (text.hasPrefix("@") ? "--data-raw" : "--data-binary"))
        }
    }

    @Test func `printf passes bytes that are not text unchanged`() throws {
        let all = Data(0...255) + Data((0...255).reversed()) + Data("-%\\'0123".utf8)
        for bytes in [all, Data([0x2D, 0xFF]), Data([0]), Data([0xFF, 0x30])] {
            let line = try request(.post, body: bytes, type: "image/png").curlCommand()
            #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            let (arguments, input) = try run(line)
            #expect(arguments.suffix(2) == ["--data-binary", "@-"])
            #expect(input == bytes)
        }
    }

    private func request(_ method: HTTPMethod, body: Data, type: String) throws -> HTTPRequest {
        try request(method, "https://h.example/x", ["Content-Type": type], HTTPBody(body))
    }

    @Test func `printf passes text that is too long for an argument`() throws {
        let text = Data(String(repeating: "it's long\n", count: 20_000).utf8)
        let (arguments, input) = try run(try request(.post, body: text, type: "text/plain").curlCommand())
        #expect(arguments.last == "@-")
        #expect(input == text)
    }

    @Test func `a command names a file and says that a body is a stream`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "it's a file \(UUID().uuidString)")
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        let sent = try request(.put, "https://h.example/x", [:], HTTPBody(file: file))
        #expect(try run(sent.curlCommand()).arguments.suffix(2) == ["--data-binary", "@\(path)"])

        let chunks = AsyncStream<Data> { $0.finish() }
        let stream = try request(.put, "https://h.example/x", [:], HTTPBody(stream: chunks))
        #expect(stream.curlCommand().hasSuffix("--data-binary '@(a stream)'"))
        let measured = try request(.put, "https://h.example/x", [:], HTTPBody(stream: chunks, length: 12))
        #expect(measured.curlCommand().hasSuffix("--data-binary '@(a stream of 12 bytes)'"))

        let mixed = HTTPBody(
            segments: try [
                .bytes(Data("--a".utf8)), .bytes(Data([0, 1])), HTTPBody(file: file).segments[0],
                .bytes(Data("\r\nend".utf8)),
            ])
        let line = try request(.post, "https://h.example/x", [:], mixed).curlCommand(showingSecrets: true)
        #expect(try run(line).input == Data("--a\0\u{1}content\r\nend".utf8))
    }

    @Test func `brackets and dots are kept`() throws {
        #expect(try request(.get, "http://[::1]/x").curlCommand().contains(" -g "))
        #expect(try request(.get, "https://h.example/a/../b").curlCommand().contains(" --path-as-is "))
        #expect(try !request().curlCommand().contains(" -g "))
    }

    @Test func `secrets are masked unless the caller requests them`() throws {
        let sent = try request(
            .post, "https://h.example/x?token=s3cret&q=1",
            ["Authorization": "Bearer s3cret", "Content-Type": "application/json"],
            HTTPBody(Data(#"{"a": 1, "password": "s3cret"}"#.utf8)))
        #expect(!sent.curlCommand().contains("s3cret"))
        #expect(sent.curlCommand().contains("-H 'Authorization: Bearer ***'"))
        #expect(sent.curlCommand().hasSuffix(#"--data-binary '{"a":1,"password":"***"}'"#))
        #expect(sent.curlCommand().contains("'https://h.example/x?token=***&q=1'"))
        for body in [
            "{\"password\":\n\"s3cret\"}", "{\"password\"\n:\"s3cret\"}", "{\"api key\":\"s3cret\"}",
            "{\"pass\\u0077ord\":\"a\\\"s3cret\"}", "{\"credentials\":\r\n  {\"pin\":\"s3cret\"}}",
        ] {
            let json = try request(
                .post, "https://h.example/", ["Content-Type": "application/json"], HTTPBody(Data(body.utf8)))
            #expect(!json.curlCommand().contains("s3cret"), "\(body)")
        }
        let shown = try run(sent.curlCommand(showingSecrets: true)).arguments
        #expect(shown.contains("Authorization: Bearer s3cret"))
        #expect(shown.last == #"{"a": 1, "password": "s3cret"}"#)
        #expect(shown.contains("https://h.example/x?token=s3cret&q=1"))
    }

    @Test func `a body without secrets is kept, and one that cannot be parsed is omitted`() throws {
        let spaced = "{ \"a\" : 1.0 ,\n \"b\": [ ] }"
        #expect(
            try request(.post, body: Data(spaced.utf8), type: "application/json").curlCommand().hasSuffix("'\(spaced)'")
        )
        let binary = try request(.post, body: Data([0xFF]) + Data("s3cret".utf8), type: "application/msgpack")
        #expect(binary.curlCommand().hasSuffix("'@(7 bytes of application/msgpack, not shown)'"))
        #expect(try run(binary.curlCommand(showingSecrets: true)).input == Data([0xFF]) + Data("s3cret".utf8))
        let broken = try request(.post, body: Data("{\"password\":\"s3cret".utf8), type: "application/json")
        #expect(!broken.curlCommand().contains("s3cret"))
        let hidden = try request(
            .post, body: Data(#"{"x":{"password":"s3cret"},"x":1}"#.utf8), type: "application/json")
        #expect(!hidden.curlCommand().contains("s3cret"))
    }

    @Test func `a multipart form is masked part by part`() throws {
        let multipart = [
            "--B\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nann\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"j\"\r\nContent-Type: application/json\r\n\r\n{\"token\":\"s3cret\"}\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"i\"; filename=\"i.png\"\r\nContent-Type: image/png\r\n\r\n\u{1}\u{2}\r\n",
            "--B\r\nContent-Disposition: form-data; name=\"o\"\r\nContent-Type: application/octet-stream\r\n\r\n\u{1}s3cret\r\n",
            "--B--\r\n",
        ].joined()
        let sent = try request(.post, body: Data(multipart.utf8), type: "multipart/form-data; boundary=\"B\"")
        let shown = try String(decoding: run(sent.curlCommand()).input, as: UTF8.self)
        #expect(
            shown
                == multipart.replacing("\r\n\r\ns3cret", with: "\r\n\r\n***").replacing(":\"s3cret", with: ":\"***")
                .replacing("\u{1}s3cret", with: "(7 bytes of application/octet-stream, not shown)"))
        #expect(try run(sent.curlCommand(showingSecrets: true)).input == Data(multipart.utf8))
    }
}

extension HTTPHeaders {
    fileprivate init(_ common: HTTPHeaders, _ own: HTTPHeaders) {
        self = common
        merge(own)
    }
}
