public import Halyard
public import HalyardFoundation
import HalyardHTTP

extension OAuthClient {
    /// Signs in a user of a program on this machine with the user's own browser, which is redirected to the program
    /// (RFC 8252 section 7.3). It uses PKCE, as ``login(redirectURL:scopes:parameters:present:)`` does.
    ///
    /// ```swift
    /// let token = try await client.browserLogin(scopes: ["openid"]) { url in
    ///     print("Open \(url)")
    /// }
    /// try await session.signIn(token)
    /// ```
    ///
    /// Until the answer arrives, a port of 127.0.0.1 is open, which is closed when this function returns. Requests that
    /// do not belong to the login do not end it. Cancel the task to give up: there is no time limit.
    ///
    /// - Parameters:
    ///   - parameters: Further parameters of the authorization URL, such as `prompt`.
    ///   - port: The port of the redirect URL, `http://127.0.0.1:PORT/PATH`. Defaults to 0, which is any free port.
    ///     Servers that follow RFC 8252 accept every port; others need the one that you have registered.
    ///   - path: The path of the redirect URL. Defaults to `/`.
    ///   - open: Opens the authorization URL in a browser. An error of it ends the login. It need not return before the
    ///     login ends.
    /// - Throws: ``OAuthError``, such as `accessDenied`, `wrongIssuer` or `missingEndpoint`; ``HTTPError``, of kind
    ///   `cannotConnect` if the port is not free and of kind `invalidPath` for the path; the error of `open`; or
    ///   `CancellationError`.
    public func browserLogin(
        scopes: [String] = [], parameters: Parameters = [:], port: Int = 0, path: String = "/",
        open: @escaping @Sendable (URL) async throws -> Void
    ) async throws -> OAuthToken {
        let socket = try RedirectSocket(port: port)
        let login: Authorization
        do {
            let place = "http://127.0.0.1:\(socket.port)\(path)"
            // A browser must send the path as it is.
            guard path.hasPrefix("/"), path.consists(of: Self.pathCharacters), !path.contains("/."),
                let url = URL(string: place)
            else {
                throw HTTPError(
                    .invalidPath(path), reason: "it does not start with /, or has a character that must be encoded")
            }
            login = try Authorization(
                id: id, server: server, redirectURL: url, scopes: scopes, parameters: parameters)
        } catch {
            socket.release()
            throw error
        }
        let answer = CancellableWaiter<Parameters>()
        let listener = try RedirectListener(socket, path: path) { query in
            guard let result = login.answer(in: query) else { return .foreign }
            answer.end(with: result.mapError { $0 })
            return if case .success = result { .confirmed } else { .refused }
        }
        let opening = Task {
            do { try await open(login.url) } catch { answer.end(with: .failure(error)) }
        }
        let result = await answer.result()
        opening.cancel()
        await listener.stop()
        return try await token(result.get())
    }

    private static let pathCharacters = ASCIISet.unreserved.union(ASCIISet("/"))
}
