import Halyard
import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// A small web server on 127.0.0.1 for the redirect of one login (RFC 8252 section 7.3).
///
/// It serves all connections on a thread of its own: browsers open spare ones, and other programs may connect as well.
/// Each has a limited head and a limited time.
struct RedirectListener: Sendable {
    /// What a request to the path of the redirect means.
    enum Verdict { case confirmed, refused, foreign }

    private struct Connection {
        let socket: RedirectSocket
        var reader = MessageReader(allowsBareLineFeeds: true)
        /// When it is closed.
        var end = ContinuousClock.now + .seconds(60)
        var isAnswered = false
    }

    /// One end of a socket pair, whose shutdown ends the thread.
    private let handle: RedirectSocket
    private let isClosed = Latch()

    /// The cookies of all servers on this machine are in it.
    private static let headLimit = 64 << 10
    private static let connectionLimit = 32

    /// Serves a socket, and takes it over. `verdict` receives the query of each request to the path.
    init(
        _ listener: RedirectSocket, path: String, verdict: @escaping @Sendable (Substring) -> Verdict
    ) throws(OAuthError) {
        let pair: (RedirectSocket, RedirectSocket)
        do throws(OAuthError) { pair = try RedirectSocket.pair() } catch {
            listener.release()
            throw error
        }
        handle = pair.0
        let isClosed = isClosed
        let isRunning = SystemThread.start {
            Self.serve(listener, until: pair.1, isClosed) { Self.answer(to: $0, path, verdict) }
        }
        guard isRunning else {
            for socket in [listener, pair.0, pair.1] { socket.release() }
            throw OAuthError(.portUnavailable, reason: "the system has no thread left")
        }
    }

    /// Closes the port and all connections but those whose answer is on its way. Call it once.
    func stop() async {
        handle.shutDown()
        await isClosed.wait()
        handle.release()
    }

    private static func serve(
        _ listener: RedirectSocket, until stop: RedirectSocket, _ isClosed: Latch, answer: (ArraySlice<UInt8>) -> Data
    ) {
        var (connections, isOpen, isExhausted) = ([Connection](), true, false)
        while isOpen || !connections.isEmpty {
            let own = isOpen ? [stop, isExhausted ? nil : listener] : []
            let end = connections.map(\.end).min()
            let limit = isExhausted ? min(.now + .milliseconds(10), end ?? .now + .milliseconds(10)) : end
            let isReady = RedirectSocket.wait(for: own + connections.map(\.socket), until: limit)
            if isOpen, isReady[0] {
                isOpen = false
                connections.removeAll { connection in
                    if !connection.isAnswered { connection.socket.release() }
                    return !connection.isAnswered
                }
                listener.release()
                stop.release()
                isClosed.open()
                continue
            }
            for index in connections.indices.reversed() {
                var isEnded = connections[index].end <= .now
                if !isEnded, isReady[own.count + index] { isEnded = !advance(&connections[index], answer) }
                if isEnded { connections.remove(at: index).socket.release() }
            }
            isExhausted = isOpen && !isExhausted && isReady[1] && !accept(from: listener, &connections)
        }
    }

    /// Accepts a connection. The oldest one makes room for it. Returns `false` if the system has no descriptor left.
    private static func accept(from listener: RedirectSocket, _ connections: inout [Connection]) -> Bool {
        guard let socket = listener.acceptNext() else { return !RedirectSocket.isExhausted }
        if connections.count == connectionLimit { connections.removeFirst().socket.release() }
        connections.append(Connection(socket: socket))
        return true
    }

    /// Reads what has arrived, and answers a complete head. Returns `false` if the connection has ended.
    private static func advance(_ connection: inout Connection, _ answer: (ArraySlice<UInt8>) -> Data) -> Bool {
        guard let bytes = connection.socket.receive() else { return false }
        // Closing a socket with unread bytes would reset the connection, and the browser may lose the answer.
        if connection.isAnswered { return true }
        connection.reader.append(bytes)
        let reply: Data
        do throws(MessageReader.Malformed) {
            guard let head = try connection.reader.head(limit: headLimit) else { return true }
            reply = answer(head.startLine)
        } catch { reply = page(error.isTooLarge ? 431 : 400, "This is not a request of a browser.") }
        // It is small enough for the buffer of a new socket.
        guard connection.socket.transmit(reply) else { return false }
        (connection.isAnswered, connection.end) = (true, .now + .seconds(1))
        return true
    }

    private static func answer(
        to line: ArraySlice<UInt8>, _ path: String, _ verdict: (Substring) -> Verdict
    ) -> Data {
        let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard parts.count == 3, parts[0] == "GET", parts[1].prefix(while: { $0 != "?" }) == path else {
            return page(404, "There is nothing here.")
        }
        return switch verdict(parts[1].drop { $0 != "?" }.dropFirst()) {
        case .confirmed: page(200, "You can close this page.")
        case .refused: page(200, "The sign-in was refused. You can close this page.")
        case .foreign: page(400, "This page does not belong to the sign-in that is in progress.")
        }
    }

    /// A page that no other page, cache or server learns of, because its address contains secrets.
    private static func page(_ status: Int, _ text: String) -> Data {
        let page = "<!DOCTYPE html><meta charset=\"utf-8\"><title>Sign-in</title><p>\(text)</p>\n"
        let head = """
            HTTP/1.1 \(status) \(HTTPResponse.reasonPhrase(for: status) ?? "")
            Content-Type: text/html; charset=utf-8
            Content-Length: \(page.utf8.count)
            Content-Security-Policy: default-src 'none'
            Referrer-Policy: no-referrer
            Cache-Control: no-store
            Connection: close


            """
        return Data((head.replacing("\n", with: "\r\n") + page).utf8)
    }
}
