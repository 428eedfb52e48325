import Foundation
import HalyardHTTP
import Testing

/// Equality and properties of errors.
struct HTTPErrorTests {
    struct Other: Error {}

    @Test func `errors are equal if their kinds and payloads are equal`() {
        #expect(HTTPError(.timedOut, reason: "a", sendCount: 1) == HTTPError(.timedOut, reason: "b", sendCount: 2))
        #expect(HTTPError.status(404) != HTTPError.status(405))
        #expect(HTTPError.timedOut != HTTPError.cancelled)
        #expect(HTTPError(.invalidHeader("A")) != HTTPError(.invalidHeader("B")))
        #expect(HTTPError(.tls(.expired)) != HTTPError(.tls(.wrongHost)))
        #expect(HTTPError(.invalidPath("x")) != HTTPError(.encoding("x")))
    }

    @Test func `any error can be compared with a kind`() {
        let error: any Error = HTTPError(.status(404), reason: "why")
        #expect(error == HTTPError.status(404))
        #expect(error != HTTPError.status(500))
        #expect(!(error == HTTPError.status(500)))
        #expect(!(error != HTTPError.status(404)))
        let other: any Error = Other()
        #expect(other != HTTPError.status(404))
        #expect(!(other == HTTPError.status(404)))
    }

    @Test func `a TLS failure has a description`() {
        let failures: [HTTPError.TLSFailure] = [
            .expired, .wrongHost, .selfSigned, .unknownRoot, .wrongPin, .badCertificate, .handshake,
        ]
        for failure in failures {
            #expect("\(failure)".contains(" "))
            guard case .tls(failure) = HTTPError(.tls(failure)).kind else {
                Issue.record("\(failure) is lost")
                continue
            }
        }
    }

    @Test func `only a host that is not found or not reached counts as a connection failure`() {
        let kinds: [HTTPError.Kind] = [.hostNotFound("h"), .cannotConnect("http://h"), .tls(.expired), .timedOut]
        #expect(kinds.map(\.isConnectionFailure) == [true, true, false, false])
    }

    @Test func `a catch clause can name the kind`() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch HTTPError.status(404) {
                return "not found"
            } catch HTTPError.timedOut {
                return "late"
            } catch let error as HTTPError {
                return "\(error.kind)"
            } catch {
                return "other"
            }
        }
        #expect(caught(HTTPError(.status(404), reason: "x")) == "not found")
        #expect(caught(HTTPError.timedOut) == "late")
        #expect(caught(HTTPError.status(405)).contains("405"))
        #expect(caught(Other()) == "other")
    }

    @Test(
        arguments: [
            (HTTPError.status(1), .status(1)), (HTTPError(.tls(.expired)), .tls(.expired)),
            (HTTPError(.hostNotFound("h")), .hostNotFound("h")),
            (HTTPError(.cannotConnect("o")), .cannotConnect("o")),
            (HTTPError(.bodyTooLarge(limit: 1)), .bodyTooLarge(limit: 1)),
            (HTTPError(.emptyResponse), .emptyResponse), (.decoding, .decoding), (HTTPError(.stopped), .stopped),
            (.cancelled, .cancelled),
            (.timedOut, .timedOut), (.connectionLost, .connectionLost), (HTTPError(.invalidResponse), .invalidResponse),
            (HTTPError(.engineUnavailable), .engineUnavailable), (HTTPError(.engine(code: 7)), .engine(code: 7)),
        ] as [(HTTPError, HTTPError.Kind)])
    func `each static member of HTTPError has the matching kind`(_ error: HTTPError, _ kind: HTTPError.Kind) {
        #expect(error.kind == kind)
        #expect(error.reason == nil && error.request == nil && error.response == nil && error.sendCount == 0)
    }

    @Test func `adding an exchange to an error sets it only if there is none`() throws {
        let (here, there) = (URL(string: "http://here")!, URL(string: "http://there")!)
        let first = HTTPResponse(status: 500, url: here)
        let error = HTTPError.decoding.adding(request: try HTTPRequest(.get, here), response: first)
        #expect(error.request?.url == here && error.status == 500)
        let again = error.adding(
            request: try HTTPRequest(.get, there), response: HTTPResponse(status: 200, url: there))
        #expect(again.request?.url == here && again.status == 500)
        #expect(HTTPError.decoding.adding().status == nil)
    }
}
