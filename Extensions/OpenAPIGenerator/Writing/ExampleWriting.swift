import Halyard
import HalyardHTTP

extension Plan {
    var exampleFileName: String { "\(provider.name)+Examples.swift" }

    /// The file that answers every operation with an example in tests.
    package func exampleFile(
        _ document: OpenAPIDocument, _ style: Style
    ) throws(DocumentError) -> (name: String, text: String) {
        var text = SwiftText()
        text.line(headLine(style))
        text.line()
        text.line("import Foundation")
        text.line("import HalyardTesting")
        text.line()
        text.line("extension StubHost {")
        text.line(
            "    /// Answers every operation of `\(provider.name)` with an example. Stubs that you add after it replace its own."
        )
        text.line("    @discardableResult")
        text.line("    func \(Names.member(provider.name))Examples() -> Self {")
        // One that streams on request is two operations, and one stub.
        var seen: Set<String> = []
        for operation in groups.flatMap(\.operations)
        where seen.insert("\(operation.method) \(operation.documentedPath)").inserted {
            let example = try document.example(of: operation)
            text.indented { $0.indented { $0.line(operation.stub(example)) } }
        }
        text.line("        return self")
        text.line("    }")
        text.line("}")
        return (exampleFileName, text.text)
    }
}

extension Plan.Operation {
    fileprivate func stub(_ example: Plan.Example) -> String {
        let path = String(documentedPath.prefix { $0 != "#" }).percentEncodedTemplate
        let short = "on(.\(method), \(path.literal), times: .any, \(example.shortCode))"
        if short.count < SwiftText.width - 8 { return short }
        return "on(\n    .\(method), \(path.literal), times: .any,\n    \(example.longCode.indented))"
    }
}

extension Plan.Example {
    private var isJSON: Bool {
        guard let type = contentType?.mediaType else { return false }
        return type.isJSONType || type.contains("*")
    }
    private var statusArgument: String { status == 200 ? "" : ", status: \(status)" }

    fileprivate var shortCode: String {
        guard let contentType else { return ".status(\(status))" }
        if isJSON { return ".json(text: \("\(value)".rawLiteral(between: "", ""))\(statusArgument))" }
        if contentType.hasPrefix("text/event-stream") {
            return ".events([\(value.string?.literal ?? "\(value)".rawLiteral(between: "", ""))])"
        }
        if contentType == "text/plain" { return ".text(\((value.string ?? "text").literal)\(statusArgument))" }
        let text = value.string ?? ""
        let bytes = text.isEmpty ? "Data()" : "Data(\(text.literal).utf8)"
        return ".data(\(bytes), contentType: \(contentType.literal)\(statusArgument))"
    }

    /// The same in several lines.
    fileprivate var longCode: String {
        if isJSON {
            let literal = value.prettyPrinted.rawLiteral(between: "\"\"\n", "\n\"\"")
            return ".json(\n    text: \(literal.indented.indented)\(statusArgument))"
        }
        if contentType?.hasPrefix("text/event-stream") == true, value.string == nil {
            return ".events([\n    \(value.prettyPrinted.rawLiteral(between: "\"\"\n", "\n\"\"").indented)\n])"
        }
        return shortCode
    }
}

extension String {
    /// The text as a raw literal of Swift, with so many signs that nothing in it ends the literal.
    fileprivate func rawLiteral(between start: String, _ end: String) -> String {
        var hashes = "#"
        while contains("\"\(hashes)") || contains("\\\(hashes)") { hashes += "#" }
        return "\(hashes)\"\(start)\(self)\(end)\"\(hashes)"
    }

    /// The template of a path as it is in a request. Braces stay.
    fileprivate var percentEncodedTemplate: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            if ASCIISet.template.contains(byte) { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The lines after the first, four columns further.
    fileprivate var indented: String { replacing("\n", with: "\n    ") }
}

extension ASCIISet {
    fileprivate static let template = unreserved.union(ASCIISet("!$&'()*+,;=:@/?%{}"))
}
