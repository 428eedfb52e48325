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

extension URLRequest {
    public var assumesHTTP3Capable: Bool {
        get { false }
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

public final class CFString {}
public enum CFStringBuiltInEncodings: UInt32 { case UTF8 }
public let kCFStringEncodingInvalidId: UInt32 = 0xFFFF_FFFF
public func CFStringCreateWithCString(_ allocator: Int?, _ text: UnsafePointer<CChar>!, _ code: UInt32) -> CFString! {
    nil
}
public func CFStringConvertIANACharSetNameToEncoding(_ name: CFString!) -> UInt32 { 0 }
public func CFStringConvertEncodingToNSStringEncoding(_ code: UInt32) -> UInt { 0 }

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
