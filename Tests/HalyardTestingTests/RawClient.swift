import Foundation
import HalyardHTTP
import HalyardSystem
import TestSupport

/// A TCP client that sends and receives exact bytes.
final class RawClient {
    struct Failure: Error { let reason: String }

    /// A response as it came, its body unframed.
    struct Answer {
        var statusLine: String
        var headers: HTTPHeaders
        var body: String
        var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    }

    private let descriptor: CInt
    private var received: [UInt8] = []

    init(port: Int) throws {
        descriptor = openStreamSocket(AF_INET)
        guard descriptor >= 0 else { throw Failure(reason: "socket: \(errno)") }
        // A test that would hang fails instead.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))

        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        // The descriptor is closed by deinit, which runs when a complete object's init throws.
        guard failure == 0 else { throw Failure(reason: "connect: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends text unchanged. The caller adds CR LF.
    func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Darwin)
                let flags: CInt = 0
            #else
                let flags = CInt(MSG_NOSIGNAL)
            #endif
            let count = rest.withUnsafeBytes { sendBytes($0, flags) }
            guard count > 0 else { throw Failure(reason: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    private func sendBytes(_ bytes: UnsafeRawBufferPointer, _ flags: CInt) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #elseif canImport(Glibc)
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #elseif canImport(Android)
            Android.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #else
            Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
        #endif
    }

    /// A request with Host and, where there is a body, its length.
    func request(_ method: String, _ target: String, headers: [String] = [], body: String = "") throws {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers + length
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Sends a request and reads its answer.
    func exchange(_ method: String, _ target: String, headers: [String] = [], body: String = "") throws -> Answer {
        try request(method, target, headers: headers, body: body)
        return try answer(toHead: method == "HEAD")
    }

    /// Says that no more will be sent.
    func shutDownWriting() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Everything up to the end of the connection.
    func rest() throws -> String {
        while try receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// The next response.
    func answer(toHead: Bool = false) throws -> Answer {
        var lines = try text(through: "\r\n\r\n").components(separatedBy: "\r\n")
        let statusLine = lines.removeFirst()
        var headers = HTTPHeaders()
        for line in lines where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            try headers.append(parts.count > 1 ? String(parts[1]) : "", for: String(parts[0]))
        }
        var answer = Answer(statusLine: statusLine, headers: headers, body: "")
        guard !toHead, ![100, 204, 304].contains(answer.status) else { return answer }
        if headers["Transfer-Encoding"] == "chunked" {
            while let size = Int(try text(through: "\r\n").dropLast(2), radix: 16), size > 0 {
                answer.body += try text(count: size)
                _ = try text(count: 2)
            }
            _ = try text(count: 2)
        } else {
            answer.body = try text(count: headers[.contentLength].flatMap(Int.init) ?? 0)
        }
        return answer
    }

    private func text(through end: String) throws -> String {
        let mark = Array(end.utf8)
        while true {
            for start in received.indices where received[start...].starts(with: mark) {
                return take(start + mark.count)
            }
            guard try receive() else { throw Failure(reason: "ended in \(String(decoding: received, as: UTF8.self))") }
        }
    }

    private func text(count: Int) throws -> String {
        while received.count < count {
            guard try receive() else { throw Failure(reason: "ended in a body") }
        }
        return take(count)
    }

    private func take(_ count: Int) -> String {
        defer { received.removeFirst(count) }
        return String(decoding: received.prefix(count), as: UTF8.self)
    }

    /// Reads bytes. Returns false at the end.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failure(reason: "recv: \(errno)") }
        received += buffer.prefix(count)
        return count > 0
    }
}
