/// The place of a value in JSON: names of members and indices of elements, separated by dots, such as `data.items.0`.
///
/// A negative index counts from the end of an array: `data.-1` is the last element. A number is also the name of a
/// member, if the value is an object. Of several members with the same name, the first one counts. The empty path is the
/// whole JSON.
package struct JSONPath: Sendable, Hashable {
    /// One name or index.
    package struct Step: Sendable, Hashable {
        package let name: String
        package let index: Int?

        init(_ name: some StringProtocol) { (self.name, index) = (String(name), Int(name)) }

        /// Returns the position of the element in an array, from 0. `nil` if the array has no such element.
        func position(inArrayOf count: Int) -> Int? {
            guard let index else { return nil }
            let position = index < 0 ? count + index : index
            return (0..<count).contains(position) ? position : nil
        }
    }

    package let steps: [Step]

    package init(_ text: String) { steps = text.split(separator: ".").map { Step($0) } }

    /// The path of the whole JSON.
    static let whole = JSONPath("")
    package var isWhole: Bool { steps.isEmpty }

    /// Returns the text of the first steps.
    package func prefix(_ count: Int) -> String { steps.prefix(count).map(\.name).joined(separator: ".") }

    /// The error for a path that is not in the JSON.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String

        package init(_ path: JSONPath, count: Int) { description = "\"\(path.prefix(count))\" is missing" }
    }
}

extension JSONPath {
    /// Returns the value at this path.
    package func value(in json: JSON) throws(Missing) -> JSON {
        var value = json
        for (number, step) in steps.enumerated() {
            let array = value.array
            let element = step.position(inArrayOf: array?.count ?? 0).flatMap { array?[$0] }
            guard let next = element ?? value.object?[step.name] else { throw Missing(self, count: number + 1) }
            value = next
        }
        return value
    }

    /// Returns JSON that has a value at this path: objects for names, and arrays for indices, whose other elements are
    /// `null`.
    package func wrapping(_ json: JSON) -> JSON {
        steps.reversed().reduce(json) { json, step in
            guard let index = step.index, (-1000..<1000).contains(index) else { return [step.name: json] }
            let nulls = Array(repeating: JSON.null, count: index < 0 ? -1 - index : index)
            return .array(index < 0 ? [json] + nulls : nulls + [json])
        }
    }
}
