// Declarations that Foundation has only on Apple's systems, as far as the sources need them.
public import Foundation
public import FoundationNetworking
public import Security

public enum tls_protocol_version_t: UInt16, Sendable { case TLSv12, TLSv13 }

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { .TLSv12 }
        set {}
    }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}

extension Stream {
    public class func getBoundStreams(
        withBufferSize size: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
