import HalyardFoundation
import HalyardHTTP

/// Where the parameters of a request go, and in which format.
///
/// ```swift
/// let login = Route(path: "/login", method: .post, params: ["name": name], encoding: .form)
/// let search = Route(path: "/search", params: ["ids": [1, 2]], encoding: .url(arrays: .commas))
/// ```
public struct ParameterEncoding: Sendable, Equatable {
    package enum Place: Sendable { case query, form, json, multipart }

    /// How a list is written in a query, a form or a multipart form. More styles may be added.
    public struct ArrayStyle: Sendable, Equatable {
        package enum Kind: Sendable { case repeated, brackets, indexed, commas }

        package let kind: Kind

        /// `tags=a&tags=b`
        public static let repeated = ArrayStyle(kind: .repeated)
        /// `tags[]=a&tags[]=b`
        public static let brackets = ArrayStyle(kind: .brackets)
        /// `tags[0]=a&tags[1]=b`
        public static let indexed = ArrayStyle(kind: .indexed)
        /// `tags=a,b`: the elements are percent-encoded, but the commas are not.
        public static let commas = ArrayStyle(kind: .commas)
    }

    package let place: Place
    package let arrays: ArrayStyle

    private init(_ place: Place, _ arrays: ArrayStyle = .repeated) {
        self.place = place
        self.arrays = arrays
    }

    /// Parameters go into the query of the URL: `?q=a%20b&tag=x&tag=y`.
    ///
    /// All characters except the unreserved ones of RFC 3986 are percent-encoded: a space as `%20`, `+` as `%2B`. A
    /// list repeats its name. A member of an object is written as `name[member]`.
    public static let url = ParameterEncoding(.query)
    /// Returns ``url`` with another array style.
    public static func url(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.query, arrays) }

    /// Parameters go into the body, written like a query, as `application/x-www-form-urlencoded`.
    public static let form = ParameterEncoding(.form)
    /// Returns ``form`` with another array style.
    public static func form(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.form, arrays) }

    /// Parameters go into the body as a JSON object, with the type `application/json`.
    public static let json = ParameterEncoding(.json)

    /// Parameters go into the body as `multipart/form-data`: one part for each value, and a file for each file URL.
    public static let multipart = ParameterEncoding(.multipart)
    /// Returns ``multipart`` with another array style.
    public static func multipart(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.multipart, arrays) }
}

/// Parameters as pairs of a name and a single value, for a query, a form or a multipart form.
///
/// A list repeats its name in the array style. Lists and objects inside a list are numbered, so that their elements
/// remain separate. A member of an object is `name[member]`.
enum FlatParameters {
    /// A name, possibly followed by names in brackets.
    typealias Name = [String]

    /// Visits every single value, in order. With the style `commas`, a list of single values is visited as a whole. A
    /// value that cannot be written is an error of kind `encoding`.
    static func visit(
        _ parameters: Parameters, _ arrays: ParameterEncoding.ArrayStyle,
        _ visit: (Name, ParameterValue) throws(HTTPError) -> Void
    ) throws(HTTPError) {
        // This uses indices: a loop over the items copies each, and changes its reference counts.
        for index in parameters.items.indices {
            try parameters.items[index].checkWritable()
            try walk(parameters.items[index].value, [parameters.items[index].name], arrays, visit)
        }
    }

    private static func walk(
        _ value: ParameterValue, _ name: Name, _ arrays: ParameterEncoding.ArrayStyle,
        _ visit: (Name, ParameterValue) throws(HTTPError) -> Void
    ) throws(HTTPError) {
        switch value.storage {
        case .omitted: break
        case .members(let members):
            for item in members.items { try walk(item.value, name + [item.name], arrays, visit) }
        case .list(let all):
            let values = all.filter { $0.storage != .omitted }
            if arrays == .commas, !values.isEmpty, !values.contains(where: { $0.isContainer || $0.mayBeFile }) {
                return try visit(name, ParameterValue(.list(values)))
            }
            for (index, value) in values.enumerated() {
                let element: Name =
                    switch arrays.kind {
                    case .indexed: name + [String(index)]
                    case _ where value.isContainer: name + [String(index)]
                    case .brackets: name + [""]
                    case .repeated, .commas: name
                    }
                try walk(value, element, arrays, visit)
            }
        default: try visit(name, value)
        }
    }
}

extension ParameterValue {
    fileprivate var isContainer: Bool {
        switch storage {
        case .list, .members: true
        default: false
        }
    }

    fileprivate var mayBeFile: Bool {
        switch storage {
        case .file: true
        case .url(let url): url.isFileURL
        default: false
        }
    }
}
