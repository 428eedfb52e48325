extension HTTPHeaders {
    /// Where a response of that status sends the request on (RFC 9110 section 15.4); `nil` where it does not.
    package func redirection(of status: Int) -> String? {
        switch status {
        case 301, 302, 303, 307, 308: values(for: "Location").first
        default: nil
        }
    }
}
