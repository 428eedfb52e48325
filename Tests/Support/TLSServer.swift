#if os(Linux)
    package import Foundation

    /// A TLS server of OpenSSL's command-line tool, for tests. Its certificate is self-signed, for `localhost`.
    ///
    /// It speaks HTTP/1.1 only. It sends each file as the whole response, with status line and header fields.
    package final class TLSServer: Sendable {
        private let folder: TemporaryFolder
        private let process: ChildProcess
        /// `https://localhost:PORT`.
        package let baseURL: URL

        /// The certificate.
        package var root: URL { folder.file("root.pem") }

        /// Starts a server. Blocks until it listens.
        ///
        /// - Parameter responses: The responses, by the names of their paths.
        package init(_ responses: [String: String]) throws {
            folder = try TemporaryFolder()
            for (name, response) in responses { _ = try folder.write(Data(response.utf8), to: name) }
            let script = """
                cd "$0" && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out root.pem && \
                exec openssl s_server -accept 127.0.0.1:0 -HTTP -cert root.pem -key key.pem
                """
            process = try ChildProcess(URL(filePath: "/bin/sh"), ["-c", script, folder.url.path])
            var output = Data()
            while true {
                let more = process.availableOutput()
                output += more
                let text = String(decoding: output, as: UTF8.self)
                if let line = text.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/) {
                    guard let url = URL(string: "https://localhost:\(line.1)") else { throw NotStarted(output: text) }
                    baseURL = url
                    return
                }
                if more.isEmpty { throw NotStarted(output: text) }
            }
        }

        /// The server did not start, for example because there is no OpenSSL.
        struct NotStarted: Error { let output: String }
    }
#endif
