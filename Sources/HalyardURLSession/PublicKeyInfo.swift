import Foundation

/// Finds the SubjectPublicKeyInfo of a certificate (RFC 5280 section 4.1), from which pins are computed. The system's
/// own function returns the key without its algorithm.
enum PublicKeyInfo {
    /// Returns the SubjectPublicKeyInfo in DER, with its tag and length. `nil` for data that is not a certificate.
    static func find(inCertificate der: Data) -> Data? {
        var outer = DER(der)
        guard let certificate = outer.next(0x30) else { return nil }
        var body = DER(certificate.content)
        guard let signed = body.next(0x30) else { return nil }
        var fields = DER(signed.content)
        _ = fields.next(0xA0)  // The version is optional.
        guard fields.next(0x02) != nil else { return nil }  // The serial number.
        // The signature algorithm, the issuer, the validity and the subject.
        for _ in 0..<4 { guard fields.next(0x30) != nil else { return nil } }
        return fields.next(0x30)?.whole
    }
}

/// Reads consecutive ASN.1 values in DER (X.690).
private struct DER {
    private var rest: Data

    init(_ bytes: Data) { rest = bytes }

    /// Reads the next value. Returns the value with and without its tag and length; `nil` if the tag is another, and
    /// nothing is read.
    mutating func next(_ tag: UInt8) -> (whole: Data, content: Data)? {
        let bytes = rest
        guard bytes.count >= 2, bytes.first == tag else { return nil }
        var place = bytes.startIndex + 2
        var length = Int(bytes[bytes.startIndex + 1])
        if length >= 0x80 {
            let count = length - 0x80
            guard (1...3).contains(count), bytes.endIndex - place >= count else { return nil }
            length = bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
            place += count
        }
        guard bytes.endIndex - place >= length else { return nil }
        rest = bytes[(place + length)...]
        return (bytes[..<(place + length)], bytes[place..<(place + length)])
    }
}
