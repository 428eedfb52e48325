import HalyardHTTP
import HalyardSystem

/// The proxy that the environment names, by curl's rules. libcurl reads the environment for each transfer.
struct SystemProxy {
    /// Looks up an environment variable.
    private let variable: (String) -> String?

    /// Makes a description of the environment.
    ///
    /// - Parameter variable: Looks up a variable. Defaults to the environment of the process.
    init(_ variable: @escaping (String) -> String? = { name in getenv(name).map { String(cString: $0) } }) {
        self.variable = variable
    }

    /// Returns the address of the proxy for `http` or `https` URLs. `nil` if there is none.
    func address(forScheme scheme: String) -> String? {
        // HTTP_PROXY in upper case is not read: in a CGI script a client sets it (httpoxy).
        scheme == "http"
            ? first(of: "http_proxy", "all_proxy", "ALL_PROXY")
            : first(of: "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
    }

    /// The hosts that bypass the proxy, as `no_proxy` lists them.
    ///
    /// - Throws: ``HTTPError`` of kind `configuration` for an entry that names no host.
    var exceptions: ProxyExceptions {
        get throws(HTTPError) {
            try ProxyExceptions((first(of: "no_proxy", "NO_PROXY") ?? "").split { ", \t".contains($0) })
        }
    }

    /// Checks that the exceptions can be kept, if there is a proxy.
    func check() throws(HTTPError) {
        if address(forScheme: "http") != nil || address(forScheme: "https") != nil { _ = try exceptions }
    }

    /// Returns whether requests for an origin may be sent through the proxy. The exceptions are not considered.
    func mayServe(_ origin: Origin) -> Bool { !origin.isLoopback && address(forScheme: origin.scheme) != nil }

    /// Returns whether requests for an origin are not sent through the proxy.
    func bypasses(_ origin: Origin) -> Bool {
        guard mayServe(origin) else { return origin.isLoopback }
        // The environment may have changed since it was checked. The proxy then gets the request, as libcurl decides.
        do throws(HTTPError) { return try exceptions.contains(origin) } catch { return false }
    }

    private func first(of names: String...) -> String? { names.lazy.compactMap(variable).first { !$0.isEmpty } }
}
