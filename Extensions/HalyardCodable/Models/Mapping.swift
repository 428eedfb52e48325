/// The JSON members of a ``Mapped`` type, with a ``Mapping/Field`` for each property that is read or written.
///
/// ```swift
/// static let mapping = Mapping<Self>(
///     .init(\.id, "id", .readOnly),
///     .init(\.desc, "description", .nullable)
/// )
/// ```
///
/// Names are used exactly as written, even if the provider's mapper converts other names to snake case.
///
/// A property that does not exist is a compiler error. If two properties have the same name, every value fails to
/// decode and to encode, with an error that names both.
public struct Mapping<Root>: Sendable {
    let fields: [Field]
    /// Describes an error in the mapping; `nil` for a valid mapping.
    let problem: String?

    /// Creates a mapping from its fields, in the order in which they are written.
    public init(_ fields: Field...) { self.init(fields: fields) }

    /// Creates a mapping that adds options to those of each field: `Mapping<Self>(all: .explicitNull, ...)`.
    public init(all options: FieldOptions, _ fields: Field...) {
        self.init(fields: fields.map { $0.with(options) })
    }

    private init(fields: [Field]) {
        self.fields = fields
        problem =
            Self.duplicate(in: fields.filter(\.isRead))
            ?? Self.duplicate(in: fields.filter(\.isWritten))
    }

    /// Describes two properties of the same name; `nil` if there are none.
    private static func duplicate(in fields: [Field]) -> String? {
        var known: [String: Int] = [:]
        for (index, field) in fields.enumerated() {
            guard let other = known.updateValue(index, forKey: field.name.stringValue) else { continue }
            // The positions are included because the names of properties of a non-final class are not available.
            return "the mapping of \(Root.self) has two properties named \(field.name.stringValue.quoted): "
                + "its number \(other + 1), \(fields[other].label), and number \(index + 1), \(field.label)"
        }
        return nil
    }

    /// Reads the properties. Unless the JSON must be complete, a missing member does not change its property.
    func read(_ root: inout Root, from decoder: any Decoder, isComplete: Bool) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        let transformers = Transformers.of(decoder.userInfo)
        for field in fields where field.isRead || Merging.isActive {
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
        for field in fields where field.isWritten || Merging.isActive {
            do { try field.write(root, &container, transformers) } catch let error as EncodingError {
                throw error.naming(field.label)
            }
        }
    }
}

extension Mapping where Root: AnyObject {
    /// Returns this mapping of a class, extended with the properties of a subclass.
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
        Mapping(fields: fields + own.fields.map { Field($0, as: { $0 as? Sub }) })
    }
}

/// Options of a ``Mapping/Field``.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as a bit mask.
    public let rawValue: Int

    /// Creates options from a bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `null` leaves the property unchanged. A missing member is still an error.
    public static let nullable = FieldOptions(rawValue: 1 << 0)
    /// A missing member leaves the property unchanged. `null` is still an error, except for an optional property.
    public static let optional = FieldOptions(rawValue: 1 << 1)
    /// The property is read but never written, such as an identifier assigned by the server.
    public static let readOnly = FieldOptions(rawValue: 1 << 2)
    /// The property is written but never read, such as a password.
    public static let writeOnly = FieldOptions(rawValue: 1 << 3)
    /// A property that is `nil` is written as `null`. Without this option, it is left out.
    public static let explicitNull = FieldOptions(rawValue: 1 << 4)
}

/// Whether the current task merges values.
///
/// While values are merged, all fields are read and written: ``FieldOptions/readOnly`` and ``FieldOptions/writeOnly``
/// have no effect, and `nil` is written as `null`.
enum Merging {
    @TaskLocal static var isActive = false
}
