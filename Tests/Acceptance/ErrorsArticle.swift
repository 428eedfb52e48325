import Foundation
import HalyardAsync

// The examples of the article on errors, word for word: they compile, and none is run.

private struct Session: Sendable {
    func signOut() async {}
}

private struct ErrorsAPI: HTTPProvider {
    let baseURL = URL(filePath: "/")
    let session = Session()

    func validate(_ response: HTTPResponse) async throws {
        try response.requireSuccess()
        if let code = try? response.json()["error"]["code"].int {
            throw MusicError(code: code)
        }
    }

    func shouldContinue(with error: any Error) async -> Bool {
        guard error == HTTPError.status(401) else { return true }
        await session.signOut()
        return false
    }
}

extension HTTPError {
    /// Whether no connection could be made, or not in time.
    var isOffline: Bool {
        kind.isConnectionFailure || kind == .timedOut && !mayHaveBeenProcessed
    }
}

// swift-format-ignore
private func catching(_ api: ErrorsAPI) async throws {
do {
    let user: User = try await api.request(.user("0")).object()
    print(user.name)
} catch HTTPError.status(404) {
    print("no such user")
} catch let error as HTTPError {
    switch error.kind {
    case .status(let code): print("refused with", code)
    // the underlying error
    case .decoding: print(error.cause as? DecodingError ?? error)
    case .timedOut, .connectionLost: print("try again later")
    default: print(error)  // the failure, the request, and a suggestion
    }
    print(error.response?.text ?? "", error.sendCount)
}
}
