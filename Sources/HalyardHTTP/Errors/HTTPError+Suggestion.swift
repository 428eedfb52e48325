extension HTTPError.Kind {
    /// How to fix an error of this kind; `nil` when there is only a generic suggestion.
    var specificSuggestion: String? {
        switch self {
        case .invalidURL: "Give an absolute URL such as https://api.example.com/v1"
        case .invalidMethod: "Use a constant such as .get, or a name that is an RFC 9110 token"
        case .invalidHeader: "Give a token as its name, and a value without control characters"
        case .invalidPath: "Give each interpolated value as one plain path segment"
        case .timedOut: "Raise the time limit, or try again later"
        case .hostNotFound: "Check the spelling of the host and the DNS settings of this machine"
        case .cannotConnect: "Check that the server runs, and the host and port of the URL"
        case .tls(.handshake): "Check that the port supports TLS, and which versions the server offers"
        case .tls(.unknownRoot): "Install the system's certificates (the package ca-certificates), or trust the issuer"
        case .digestMismatch:
            "Try again later, or compare the URL, and the digest if you gave one, with those that the publisher names"
        case .bodyTooLarge: "Raise the limit, or write the body to a file"
        case .headersTooLarge: "Raise the engine's headerLimit, if you trust the server"
        case .unsupportedCoding:
            "Set Accept-Encoding to receive the body without decoding, or let the server use an offered coding"
        case .tooManyRedirects: "Check the Location of the response. A redirect loop is an error of the server"
        case .insecureConnection:
            "Use https. If http is intended, allow the host in Info.plist: NSExceptionDomains of "
                + "NSAppTransportSecurity, or NSAllowsLocalNetworking"
        case .insecureRedirect: "Allow redirects from https to http, if that is intended"
        case .foreignSecrets: "Send the request to that origin directly, if that is intended"
        case .insecureCredentials: "Use https, or allow credentials over http, if that is intended"
        case .shutDown: "Use a new engine, or shut it down later"
        case .decoding: "Compare the requested type with the body, in the error's response"
        case .queueFull: "Send fewer requests at once, or raise the limits of the bulkhead"
        case .rateLimited: "Send fewer requests, or raise the maximumWait of the rate limit"
        case .emptyResponse: "Do not request a value if the server may send no body"
        default: nil
        }
    }

    /// A suggestion that says little more than the kind itself. User interfaces show it; logs omit it.
    var genericSuggestion: String {
        switch self {
        case .encoding: "Give a value that can be written in this encoding"
        case .unreadableFile: "Check that the file exists, is a regular file and is readable"
        case .unwritableFile: "Check that its folder is writable, and that the disk is not full"
        case .bodyConsumed: "Make a new request"
        case .engineUnavailable: "Install the library that the engine requires"
        case .configuration: "Leave the property at its default, or use an engine that supports it"
        case .noStub: "Stub the request"
        case .tls: "Check the server's certificate; it cannot be trusted"
        case .connectionLost: "Try again, if the request may be sent twice"
        case .cancelled: "Send the request again when it is needed"
        case .invalidResponse: "Check that the server speaks HTTP at this port"
        case .engine: "See the engine's documentation for the code"
        case .status(401): "Sign in, or check the credentials"
        case .status(403): "Check the permissions of this user"
        case .status(404), .status(410): "Check the URL: the resource does not exist"
        case .status(408), .status(429), .status(500...): "Try again later"
        case .circuitOpen: "Try again later"
        case .stopped: "See the cause of the error"
        default: "See the response's body, in the error's response"
        }
    }
}
