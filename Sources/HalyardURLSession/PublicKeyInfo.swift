import Foundation

/// Finds the public key of a certificate (its SubjectPublicKeyInfo, RFC 5280 section 4.1), which is what pins are made
/// of: the system gives a key only without what says of which kind it is.
enum PublicKeyInfo {
    /// The key's bytes in DER, with their own tag and length; nil for what is no certificate.
    static func find(inCertificate der: Data) -> Data? {
        var outer = DER(der)
        guard let certificate = outer.next(0x30) else { return nil }
        var body = DER(certificate.content)
        guard let signed = body.next(0x30) else { return nil }
        var fields = DER(signed.content)
        _ = fields.next(0xA0)  // the version, which may be missing
        guard fields.next(0x02) != nil else { return nil }  // the serial number
        // Its signature's algorithm, issuer, validity, subject.
        for _ in 0..<4 { guard fields.next(0x30) != nil else { return nil } }
        return fields.next(0x30)?.whole
    }
}

/// Values of ASN.1 in DER (X.690), one after another.
private struct DER {
    private var rest: Data

    init(_ bytes: Data) { rest = bytes }

    /// The next value, if it is of that tag; else nothing moves.
    mutating func next(_ tag: UInt8) -> (whole: Data, content: Data)? {
        let bytes = rest
        guard bytes.count >= 2, bytes.first == tag else { return nil }
        var place = bytes.startIndex + 2
        var length = Int(bytes[bytes.startIndex + 1])
        if length >= 0x80 {
            let count = length - 0x80
            guard (1...4).contains(count), bytes.endIndex - place >= count else { return nil }
            length = bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
            place += count
        }
        guard bytes.endIndex - place >= length else { return nil }
        rest = bytes[(place + length)...]
        return (bytes[..<(place + length)], bytes[place..<(place + length)])
    }
}
