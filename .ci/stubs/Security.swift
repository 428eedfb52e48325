// A stub of Apple's Security, with the declarations that the sources need. Bridged types are the Swift ones.
import Foundation

public final class SecCertificate: Sendable {}
public final class SecTrust: Sendable {}
public typealias CFArray = [SecCertificate]
public typealias CFData = Data
public final class CFError: Error {}
public typealias OSStatus = Int32
public typealias CFIndex = Int
public let errSecCertificateExpired: OSStatus = -67818
public let errSecCertificateNotValidYet: OSStatus = -67819
public let errSecHostNameMismatch: OSStatus = -67602
public let errSecNotTrusted: OSStatus = -67843
public let errSecCreateChainFailed: OSStatus = -67863
public let errSecSuccess: OSStatus = 0

public func CFErrorGetCode(_ error: CFError) -> CFIndex { 0 }
public func SecCertificateCreateWithData(_ allocator: Int?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data() }
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? { nil }
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? { nil }
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { 0 }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: inout CFError?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
