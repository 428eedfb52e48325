/// Writes the models.
struct ModelWriting {
    /// `public `, or nothing.
    let access: String
    /// The path of the model's name.
    private let path: String
    private let model: Plan.Model

    init(_ model: Plan.Model, access: String, within scope: String = "") {
        (self.model, self.access) = (model, access)
        path = scope + model.name
    }

    private func code(_ type: Plan.TypeName) -> String { type.code(within: path) }

    func write(to text: inout SwiftText) {
        text.comment(model.summary)
        switch model.shape {
        case .object(let properties, let others): writeObject(properties, others, to: &text)
        case .enumeration(let raw, let cases): writeEnumeration(raw, cases, to: &text)
        case .union(let variants, let discriminator): writeUnion(variants, discriminator, to: &text)
        }
    }

    private func writeNested(to text: inout SwiftText) {
        for nested in model.nested {
            text.line()
            ModelWriting(nested, access: access, within: path + ".").write(to: &text)
        }
    }

    private func writeObject(
        _ properties: [Plan.Property], _ others: Plan.TypeName?, to text: inout SwiftText
    ) {
        text.block("\(access)struct \(Names.escaped(model.name)): APIModel {") { text in
            for property in properties {
                text.comment(property.summary)
                let box = property.isBoxed ? "@Boxed " : ""
                text.line("\(box)\(access)var \(Names.escaped(property.name)): \(code(property.type))")
            }
            if let others {
                text.comment("The members with other names.")
                text.line("\(access)var additionalProperties: [String: \(code(others))]")
            }
            text.line()
            var arguments = properties.map {
                "\(Names.escaped($0.name)): \(code($0.type))" + ($0.type.isOptional && !$0.isRequired ? " = nil" : "")
            }
            if let others { arguments.append("additionalProperties: [String: \(code(others))] = [:]") }
            text.list("\(access)init(", arguments, ") {")
            text.indented { text in
                for property in properties { text.line("self.\(property.name) = \(Names.escaped(property.name))") }
                if others != nil { text.line("self.additionalProperties = additionalProperties") }
            }
            text.line("}")
            text.line()
            text.block("\(access)init(reading object: borrowing ModelReader) throws {") { text in
                for property in properties {
                    let read = property.type.isOptional ? "readIfPresent" : "read"
                    text.line("\(Names.reading(property.name)) = try object.\(read)(\(property.key.literal))")
                }
                if others != nil { text.line("additionalProperties = try object.readOthers(than: Self.memberNames)") }
            }
            text.line()
            text.block("\(access)func write(to object: inout ModelWriter) {") { text in
                for property in properties {
                    let write = property.type.isOptional && !property.isRequired ? "writeIfPresent" : "write"
                    text.line("object.\(write)(\(property.key.literal), \(Names.reading(property.name)))")
                }
                if others != nil { text.line("object.writeOthers(additionalProperties, than: Self.memberNames)") }
            }
            if others != nil {
                text.line()
                text.list("private static let memberNames: Set<String> = [", properties.map(\.key.literal), "]")
            }
            writeNested(to: &text)
        }
    }

    private func writeEnumeration(_ raw: String, _ cases: [Plan.Case], to text: inout SwiftText) {
        text.block("\(access)struct \(Names.escaped(model.name)): OpenEnum {") { text in
            text.line("\(access)let rawValue: \(raw)")
            text.line()
            for item in cases {
                text.line("\(access)static let \(Names.escaped(item.name)) = Self(rawValue: \(item.literal))")
            }
            text.line()
            text.line("\(access)init(rawValue: \(raw)) { self.rawValue = rawValue }")
        }
    }

    private func writeUnion(_ variants: [Plan.Variant], _ discriminator: String?, to text: inout SwiftText) {
        let name = { (variant: Plan.Variant) in Names.escaped(variant.name) }
        text.block("\(access)indirect enum \(Names.escaped(model.name)): APIValue {") { text in
            for variant in variants { text.line("case \(name(variant))(\(code(variant.type)))") }
            text.comment("A value that fits none of the types, as a later version of the API may send.")
            text.line("case other(JSON)")
            text.line()
            text.block("\(access)init(from decoder: any Decoder) throws {") { text in
                text.line("let container = try decoder.singleValueContainer()")
                if let discriminator {
                    text.line("let json = try container.decode(JSON.self)")
                    text.line("switch json.tag(\(discriminator.literal)) {")
                    for (tags, sharing) in variants.byTags {
                        let head = "case \(tags.map(\.literal).joined(separator: ", ")):"
                        guard let last = sharing.last else { continue }
                        let decoded = "self = .\(name(last))(try container.decode(\(code(last.type)).self))"
                        if sharing.count == 1 {
                            text.line("\(head) \(decoded)")
                        } else {
                            text.line(head)
                            text.indented { writeAttempts(sharing.dropLast(), otherwise: decoded, to: &$0) }
                        }
                    }
                    text.line("default: self = .other(json)")
                    text.line("}")
                } else {
                    writeAttempts(variants, otherwise: "self = .other(try container.decode(JSON.self))", to: &text)
                }
            }
            text.line()
            text.block("\(access)func encode(to encoder: any Encoder) throws {") { text in
                text.line("var container = encoder.singleValueContainer()")
                text.line("switch self {")
                for variant in variants {
                    text.line("case .\(name(variant))(let value): try container.encode(value)")
                }
                text.line("case .other(let json): try container.encode(json)")
                text.line("}")
            }
            writeNested(to: &text)
        }
    }

    /// Writes statements that take the first type that fits.
    private func writeAttempts(_ variants: [Plan.Variant], otherwise: String, to text: inout SwiftText) {
        if variants.isEmpty { return text.line(otherwise) }
        for (index, variant) in variants.enumerated() {
            let word = index == 0 ? "if" : "} else if"
            let decoded = "\(word) let value = try? container.decode(\(code(variant.type)).self)"
            if variant.known.isEmpty {
                text.line("\(decoded) {")
            } else {
                text.line("\(decoded),")
                let cases = variant.known.map { ".\(Names.escaped($0))" }
                text.indented { $0.list("[", cases, "].contains(value)") }
                text.line("{")
            }
            text.indented { $0.line("self = .\(Names.escaped(variant.name))(value)") }
        }
        text.line("} else {")
        text.indented { $0.line(otherwise) }
        text.line("}")
    }
}

extension [Plan.Variant] {
    /// The values of the discriminator, each with the types that it means. Those that mean the same are together.
    fileprivate var byTags: [(tags: [String], sharing: [Plan.Variant])] {
        var groups: [(tags: [String], sharing: [Plan.Variant])] = []
        var seen: Set<String> = []
        for tag in flatMap(\.tags) where seen.insert(tag).inserted {
            let sharing = filter { $0.tags.contains(tag) }
            if let index = groups.firstIndex(where: { $0.sharing == sharing }) {
                groups[index].tags.append(tag)
            } else {
                groups.append(([tag], sharing))
            }
        }
        return groups
    }
}

extension Names {
    /// A property's name inside of a method with an argument `object`.
    fileprivate static func reading(_ name: String) -> String {
        name == "object" || name == "self" ? "self.\(name)" : escaped(name)
    }
}
