import HalyardHTTP
import HalyardFoundation

/// Parameters as pairs of a name and a single value, for a query, a form or a multipart form.
///
/// A list repeats its name in the array style. Lists and objects inside a list are numbered, so that their elements
/// remain separate. A member of an object is `name[member]`.
struct FlatParameters {
    /// A name, possibly followed by names in brackets.
    enum Name {
        case root(String)
        indirect case member(Name, String)
    }

    private let arrays: ParameterEncoding.ArrayStyle
    private let visit: (Name, ParameterValue) throws(HTTPError) -> Void

    /// Visits every single value, in order. With the style `commas`, a list of single values is visited as a whole.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` when a value cannot be written.
    static func visit(
        _ parameters: Parameters, _ arrays: ParameterEncoding.ArrayStyle,
        _ visit: @escaping (Name, ParameterValue) throws(HTTPError) -> Void
    ) throws(HTTPError) {
        for item in parameters.items { try self.visit(item, arrays, visit) }
    }

    /// Visits every single value of one parameter.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` before its first visit when the value cannot be written.
    static func visit(
        _ item: Parameters.Item, _ arrays: ParameterEncoding.ArrayStyle,
        _ visit: @escaping (Name, ParameterValue) throws(HTTPError) -> Void
    ) throws(HTTPError) {
        try item.checkWritable()
        try FlatParameters(arrays: arrays, visit: visit).walk(item.value, .root(item.name))
    }

    private func walk(_ value: ParameterValue, _ name: Name) throws(HTTPError) {
        switch value.storage {
        case .omitted: break
        case .list(let values): try walk(list: values.filter { $0.storage != .omitted }, name)
        case .members(let members):
            for item in members.items { try walk(item.value, .member(name, item.name)) }
        default: try visit(name, value)
        }
    }

    private func walk(list values: [ParameterValue], _ name: Name) throws(HTTPError) {
        if arrays == .commas, !values.isEmpty, !values.contains(where: { $0.isContainer || $0.mayBeFile }) {
            return try visit(name, ParameterValue(.list(values)))
        }
        for (index, value) in values.enumerated() {
            let element: Name =
                switch arrays.kind {
                case .indexed: .member(name, String(index))
                case _ where value.isContainer: .member(name, String(index))
                case .brackets: .member(name, "")
                case .repeated, .commas: name
                }
            try walk(value, element)
        }
    }
}

extension FlatParameters.Name {
    /// The parameter's own name.
    var root: String {
        switch self {
        case .root(let name): name
        case .member(let name, _): name.root
        }
    }

    /// The name as in a multipart form: `name[member]`.
    var text: String {
        switch self {
        case .root(let name): name
        case .member(let name, let member): "\(name.text)[\(member)]"
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
