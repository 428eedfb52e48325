package import Foundation
package import HalyardTesting

/// A `multipart/form-data` body that is parsed strictly: every byte must be where RFC 7578 requires it.
package struct ParsedForm {
    package struct Part {
        package var headers: [String]
        package var disposition: String
        package var contentType: String?
        package var body: Data
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Flaw: Error, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    package let boundary: String
    package let parts: [Part]

    package init(_ request: RecordedRequest) throws {
        let types = request.headers.values(for: "Content-Type")
        guard types.count == 1, let type = types.first, type.hasPrefix("multipart/form-data; boundary=") else {
            throw Flaw("the type is \(types)")
        }
        try self.init(request.body, boundary: String(type.dropFirst("multipart/form-data; boundary=".count)))
    }

    package init(_ body: Data, boundary: String) throws {
        // RFC 2046 section 5.1.1.
        guard (1...70).contains(boundary.utf8.count) else { throw Flaw("the boundary is \(boundary)") }
        self.boundary = boundary
        let delimiter = Data("\r\n--\(boundary)".utf8)
        var parts: [Part] = []
        // A line break is added, because the first delimiter has none before it.
        var rest = Data("\r\n".utf8) + body
        guard rest.starts(with: delimiter) else { throw Flaw("it does not start with the boundary") }
        while true {
            rest = Data(rest.dropFirst(delimiter.count))
            if rest == Data("--\r\n".utf8) { break }
            guard rest.starts(with: Data("\r\n".utf8)) else { throw Flaw("a boundary does not end its line") }
            guard let end = rest.range(of: delimiter) else { throw Flaw("the last boundary is missing") }
            parts.append(try Part(Data(rest[2..<end.lowerBound])))
            rest = Data(rest[end.lowerBound...])
        }
        self.parts = parts
    }

    package var dispositions: [String] { parts.map(\.disposition) }
    package var texts: [String] { parts.map(\.text) }
}

extension ParsedForm.Part {
    fileprivate init(_ bytes: Data) throws {
        guard let blank = bytes.range(of: Data("\r\n\r\n".utf8)) else { throw ParsedForm.Flaw("a part has no head") }
        guard let head = String(data: bytes[..<blank.lowerBound], encoding: .utf8) else {
            throw ParsedForm.Flaw("a head is not UTF-8")
        }
        headers = head.components(separatedBy: "\r\n")
        body = Data(bytes[blank.upperBound...])
        guard !head.replacingOccurrences(of: "\r\n", with: "").contains(where: \.isNewline) else {
            throw ParsedForm.Flaw("a head has a bare line break")
        }
        let prefixes = ["Content-Disposition: form-data; ", "Content-Type: "]
        guard (1...2).contains(headers.count), zip(headers, prefixes).allSatisfy({ $0.hasPrefix($1) }) else {
            throw ParsedForm.Flaw("a head is \(headers)")
        }
        disposition = String(headers[0].dropFirst(prefixes[0].count))
        contentType = headers.count > 1 ? String(headers[1].dropFirst(prefixes[1].count)) : nil
    }
}
