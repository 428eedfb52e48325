// The ways out of each kind of error.
extension HTTPErrorKind {
    /// What the kind alone tells, and is worth a line in a log.
    var advice: String? {
        switch code {
        case .invalidURL: "Give an absolute URL such as https://api.example.com/v1"
        case .invalidMethod: "Use a member such as .get, or a name of letters, digits and marks without blanks"
        case .invalidHeader: "Give a token as its name, and a value without control characters"
        case .invalidPath: "Give each interpolated value as one plain path segment"
        case .timedOut: "Raise the timeout of the route or of the client's configuration, or try again later"
        case .hostNotFound: "Check the spelling of the base URL, and this machine's name service"
        case .cannotConnect: "Check that the server runs, and the host and port of the base URL"
        case .tls(.handshake): "Check that the port speaks TLS, and what versions the server offers"
        case .tls(.unknownRoot): "Install the system's certificates (the package ca-certificates), or trust the issuer"
        case .bodyTooLarge: "Raise the memoryLimit of the route or of the client's configuration, or download to a file"
        case .headersTooLarge: "Raise the engine's headerLimit, if the server is to be trusted with it"
        case .unsupportedCoding:
            "Send an Accept-Encoding of your own to get such a body as it is, or have the server keep to what is offered"
        case .tooManyRedirects: "Look at where the response's Location leads; a circle is the server's fault"
        case .insecureConnection:
            "Use https; where http is meant, allow the host in Info.plist: NSExceptionDomains of NSAppTransportSecurity, or "
                + "NSAllowsLocalNetworking"
        case .insecureRedirect: "Where that is meant, give the route or the client .follow(allowsDowngrade: true)"
        case .foreignSecrets: "Make that origin the provider's baseURL, or send the request to it by Route(url:)"
        case .insecureCredentials: "Use https; where it is meant, give the provider's authentication allowsHTTP: true"
        case .shutDown: "Make a client anew, or shut it down later"
        case .decoding: "Compare what was asked for with the body, in the error's response"
        case .emptyResponse: "Where the server may send nothing ask for nothing, as void() does, or for an optional"
        default: nil
        }
    }

    /// What everybody knows who thinks about it: for a dialogue, where something has to stand.
    var commonplace: String {
        switch code {
        case .encoding: "Give a value that can be written in this encoding"
        case .unreadableFile: "Check that the file is there, is a regular file and may be read"
        case .unwritableFile: "Check that its folder may be written to, and that there is room"
        case .bodyConsumed: "Make the request anew"
        case .engineUnavailable: "Install what the engine needs"
        case .configuration: "Leave the property as it is by default, or use an engine that has it"
        case .noStub: "Stub the request"
        case .tls: "Look at the server's certificate; it is not to be trusted as it is"
        case .connectionLost: "Try again, where doing it twice does no harm"
        case .cancelled: "Send it again when it is wanted"
        case .invalidResponse: "Check that the server speaks HTTP at this port"
        case .engine: "Look the code up in the engine's documentation"
        case .status(401): "Sign in, or check the credentials"
        case .status(403): "Ask for the right to do this"
        case .status(404), .status(410): "Check the address; what was asked for is not there"
        case .status(408), .status(429), .status(500...): "Try again later"
        case .stopped: "Look at the error's cause"
        default: "Look at the response's body, in the error's response"
        }
    }
}
