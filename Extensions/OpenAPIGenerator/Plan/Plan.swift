package import Halyard

/// What is generated, as values: decisions without a word of Swift's punctuation.
package struct Plan: Equatable, Sendable {
    package var provider = Provider()
    package var groups: [Group] = []
    package var models: [Model] = []
    /// What could not be generated as the document says, in the order of the document.
    package var remarks: [Remark] = []

    package struct Remark: Equatable, Sendable, CustomStringConvertible {
        package let pointer: String
        /// The finding, and the choice in its place.
        package let text: String

        package var description: String { "\(pointer): \(text)" }
    }

    package struct Provider: Equatable, Sendable {
        package var name = "API"
        package var title = ""
        package var version = ""
        package var summary: String?
        /// The URL of the first server, if it is absolute.
        package var server: String?
        /// What to set for the document's security schemes.
        package var security: [String] = []
        /// The types of errors that most operations have.
        package var failures: [Failure] = []
        /// The models that are types of errors, each with the property that has a text for users.
        package var errors: [String: String?] = [:]
    }

    /// The operations of a tag.
    package struct Group: Equatable, Sendable {
        package var name: String
        package var summary: String?
        package var operations: [Operation] = []
    }

    package struct Operation: Equatable, Sendable {
        package var name: String
        package var summary: String?
        package var method: String
        package var path: [PathPart]
        /// The path as it is in the document.
        package var documentedPath: String
        package var parameters: [Parameter]
        package var body: Body?
        package var output: Output
        /// The media type to ask for, if there is a choice.
        package var accept: String?
        /// How the query's lists are written.
        package var arrays = Arrays.repeated
        /// The security schemes of this operation, if they are not those of the document.
        package var security: String?
        /// The types of errors that differ from the provider's.
        package var failures: [Failure] = []
        package var isDeprecated = false
        package var pointer: String
    }

    package enum PathPart: Equatable, Sendable {
        case text(String)
        /// The value of an argument.
        case argument(String)
    }

    package enum Arrays: String, Sendable { case repeated, commas, indexed }

    package struct Parameter: Equatable, Sendable {
        package enum Place: String, Sendable { case path, query, header, cookie }
        package enum Style: Equatable, Sendable {
            /// As its type is written.
            case value
            /// A list as one text, with this separator.
            case joined(String)
            /// A list with the numbers of its elements in brackets.
            case indexed
            /// A model whose members are in brackets after the name.
            case object
            /// The members of a model or of parameters, without the name.
            case members
            /// The members as one text, with this between a name and its value.
            case joinedMembers(String)
        }
        package var place: Place
        package var name: String
        package var argument: String
        package var type: TypeName
        package var style: Style = .value
        package var isRequired: Bool
        package var summary: String?
    }

    package struct Body: Equatable, Sendable {
        package enum Kind: Equatable, Sendable {
            /// `nil` is `application/json`.
            case json(TypeName, contentType: String? = nil)
            /// A form in the coding of URLs, whose fields are the members of the type.
            case form(TypeName, Arrays = .repeated)
            case text(contentType: String)
            case bytes(contentType: String)
            /// A multipart form, whose parts are arguments.
            case parts([Part])
            /// A multipart form of any parts.
            case multipart
        }
        package var kind: Kind
        package var isRequired: Bool
    }

    package struct Part: Equatable, Sendable {
        package var name: String
        package var argument: String
        package var type: TypeName
        package var isRequired: Bool
        package var summary: String?
        /// The media type that the document gives the part.
        package var contentType: String?
    }

    /// The type of the bodies of errors, for some statuses.
    package struct Failure: Hashable, Sendable {
        package var model: String
        package var statuses: ClosedRange<Int>
    }

    /// The answer of a server in a test.
    package struct Example: Equatable, Sendable {
        package var status: Int
        /// `nil` for a response without a body.
        package var contentType: String?
        package var value: JSON = .null
    }

    package enum Output: Equatable, Sendable {
        case nothing
        case value(TypeName)
        /// A stream of events.
        case events(TypeName)

        package var type: TypeName? {
            switch self {
            case .nothing: nil
            case .value(let type), .events(let type): type
            }
        }
    }

    package indirect enum TypeName: Hashable, Sendable {
        /// A type of Swift or of Halyard: `String`, `Int`, `JSON`.
        case plain(String)
        /// A model of the plan, by the path of its name: `Pet.Status`.
        case model(String)
        case array(TypeName)
        case dictionary(TypeName)
        case optional(TypeName)
    }

    package struct Model: Equatable, Sendable {
        package enum Shape: Equatable, Sendable {
            case object([Property], others: TypeName?)
            case enumeration(raw: String, cases: [Case])
            /// One of several types, which a member may name.
            case union([Variant], discriminator: String?)
        }
        package var name: String
        package var summary: String?
        package var shape: Shape
        package var pointer: String
        package var nested: [Model] = []

        /// The model and all within it, each with the path of its name.
        var all: [(path: String, model: Model)] { all(within: "") }

        /// Returns the model after a change of it and of all within it, each with the path of its name.
        func mapped(within scope: String = "", _ change: (String, inout Model) -> Void) -> Model {
            var model = self
            change(scope + name, &model)
            model.nested = model.nested.map { $0.mapped(within: "\(scope)\(name).", change) }
            return model
        }

        private func all(within scope: String) -> [(path: String, model: Model)] {
            [(scope + name, self)] + nested.flatMap { $0.all(within: "\(scope)\(name).") }
        }
    }

    package struct Property: Equatable, Sendable {
        package var name: String
        package var key: String
        package var type: TypeName
        package var summary: String?
        package var isRequired: Bool
        /// Whether only responses have it.
        package var isReadOnly = false
        /// Whether its value may be null.
        package var isNullable = false
        package var isBoxed = false
    }

    package struct Case: Equatable, Sendable {
        package var name: String
        /// The value as a literal of Swift.
        package var literal: String
    }

    package struct Variant: Equatable, Sendable {
        package var name: String
        package var type: TypeName
        /// The values of the discriminator that mean this type.
        package var tags: [String] = []
        /// The cases of an enumeration that must be one of them, because other types take the other values.
        package var known: [String] = []
    }
}
