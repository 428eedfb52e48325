import Foundation

extension ScriptedServer {
    /// A server that sends the start of a body, and waits until the client has gone.
    ///
    /// - Parameters:
    ///   - field: A header field of the response.
    ///   - start: The start of the body.
    ///   - ended: Counts the connections that the client has closed.
    package static func unended(_ field: String, _ start: String, _ ended: Counter) throws -> ScriptedServer {
        try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(start)")
            connection.drain()
            ended.increment()
        }
    }

    /// A server whose body of 300 000 bytes pauses after the first 100 000.
    ///
    /// - Parameter gate: Lets the rest of the body go.
    package static func pausing(at gate: Gate) throws -> ScriptedServer {
        try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n")
            connection.write(Data(count: 100_000))
            gate.wait()
            connection.write(Data(count: 200_000))
        }
    }
}
