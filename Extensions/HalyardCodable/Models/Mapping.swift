/// How the properties of a ``Mapped`` type stand in JSON: a ``Mapping/Field`` for each that is read or written.
///
/// ```swift
/// static let mapping = Mapping<Self>(
///     .init(\.id, "id", .readOnly),
///     .init(\.desc, "description", .nullable)
/// )
/// ```
///
/// A name stands as it is written, both ways, also where the provider's mapper has the others in snake case.
///
/// A property that does not exist does not compile. Two properties of one name are an error of every value that is read
/// or written, which names both.
public struct Mapping<Root>: Sendable {
    let fields: [Field]
    /// What is wrong with the mapping itself.
    let problem: String?

    /// A mapping of these fields, written in this order.
    public init(_ fields: Field...) { self.init(fields: fields) }

    /// A mapping of these fields, which have options in common beside their own: `Mapping<Self>(all: .explicitNull, ...)`.
    public init(all options: FieldOptions, _ fields: Field...) {
        self.init(fields: fields.map { $0.with(options) })
    }

    private init(fields: [Field]) {
        self.fields = fields
        problem =
            Self.duplicate(in: fields.filter { !$0.options.contains(.writeOnly) })
            ?? Self.duplicate(in: fields.filter { !$0.options.contains(.readOnly) })
    }

    /// Two properties of one name, in words.
    private static func duplicate(in fields: [Field]) -> String? {
        var known: [String: Int] = [:]
        for (index, field) in fields.enumerated() {
            guard let other = known.updateValue(index, forKey: field.name.stringValue) else { continue }
            // Numbers too, for the properties of classes that are not final have no names to ask for.
            return "the mapping of \(Root.self) has two properties named \(field.name.stringValue.quoted): "
                + "its number \(other + 1), \(fields[other].label), and number \(index + 1), \(field.label)"
        }
        return nil
    }

    func read(_ root: inout Root, from decoder: any Decoder, isComplete: Bool) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let transformers = Transformers.of(decoder.userInfo)
        for field in fields where !field.options.contains(.writeOnly) || Copying.isOn {
            if !isComplete, !container.contains(field.name) { continue }
            do { try field.read(&root, container, transformers) } catch let error as Transformers.Ambiguous {
                throw error
            } catch {
                let path = container.codingPath + [field.name]
                throw (error as? DecodingError ?? .corrupted(at: path, by: error)).naming(field.label)
            }
        }
    }

    func write(_ root: Root, to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        let transformers = Transformers.of(encoder.userInfo)
        for field in fields where !field.options.contains(.readOnly) || Copying.isOn {
            do { try field.write(root, &container, transformers) } catch let error as EncodingError {
                throw error.naming(field.label)
            }
        }
    }
}

extension Mapping where Root: AnyObject {
    /// This mapping of a class and that of a subclass's own properties.
    ///
    /// ```swift
    /// class Person: Mapped {
    ///     var name = ""
    ///     required init() {}
    ///     class var mapping: Mapping<Person> { Mapping(.init(\.name, "name")) }
    /// }
    ///
    /// final class Employee: Person {
    ///     var company = ""
    ///     override class var mapping: Mapping<Person> {
    ///         super.mapping.adding(Mapping<Employee>(.init(\.company, "company")))
    ///     }
    /// }
    /// ```
    public func adding<Sub: AnyObject>(_ own: Mapping<Sub>) -> Mapping {
        Mapping(fields: fields + own.fields.map { $0.ofSuperclass(Root.self) })
    }
}
