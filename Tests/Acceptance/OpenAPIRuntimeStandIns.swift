import Foundation
import TestSupport

// What the article on swift-openapi-generator uses of the packages swift-openapi-runtime and swift-http-types. The
// project has no dependencies: these types have the same declarations. The enums have the names of the modules, so that
// `OpenAPIRuntime.HTTPBody` is the same text as with the packages.

typealias ClientTransport = OpenAPIRuntime.ClientTransport
typealias HTTPField = HTTPTypes.HTTPField
typealias HTTPFields = HTTPTypes.HTTPFields

enum HTTPTypes {
    struct HTTPRequest: Sendable {
        struct Method: Hashable, Sendable {
            let rawValue: String

            static let get = Method(rawValue: "GET")
            static let head = Method(rawValue: "HEAD")
            static let post = Method(rawValue: "POST")
            static let put = Method(rawValue: "PUT")
        }

        var method: Method
        var path: String?
        var headerFields: HTTPFields

        // A request from generated code has no scheme and no authority: they are in the base URL.
        init(method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = [:]) {
            (self.method, self.path, self.headerFields) = (method, path, headerFields)
        }
    }

    struct HTTPResponse: Sendable {
        struct Status: Sendable {
            let code: Int
        }

        var status: Status
        var headerFields: HTTPFields

        init(status: Status, headerFields: HTTPFields = [:]) {
            (self.status, self.headerFields) = (status, headerFields)
        }
    }

    struct HTTPField: Sendable {
        struct Name: Hashable, Sendable {
            let rawName: String

            init?(_ name: String) {
                guard !name.isEmpty, !name.contains(" ") else { return nil }
                rawName = name
            }

            private init(known name: String) { rawName = name }

            static let contentLength = Name(known: "Content-Length")
            static let cookie = Name(known: "Cookie")
            static let transferEncoding = Name(known: "Transfer-Encoding")

            static func == (left: Name, right: Name) -> Bool { left.rawName.lowercased() == right.rawName.lowercased() }
            func hash(into hasher: inout Hasher) { hasher.combine(rawName.lowercased()) }
        }

        var name: Name
        var value: String
    }

    struct HTTPFields: RandomAccessCollection, RangeReplaceableCollection, ExpressibleByDictionaryLiteral, Sendable {
        private var fields: [HTTPField] = []

        init() {}

        init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
            fields = elements.map { HTTPField(name: $0, value: $1) }
        }

        var startIndex: Int { fields.startIndex }
        var endIndex: Int { fields.endIndex }
        subscript(position: Int) -> HTTPField { fields[position] }

        mutating func replaceSubrange(_ range: Range<Int>, with more: some Collection<HTTPField>) {
            fields.replaceSubrange(range, with: more)
        }

        subscript(name: HTTPField.Name) -> String? {
            get {
                let values = fields.filter { $0.name == name }.map(\.value)
                return values.isEmpty ? nil : values.joined(separator: name == .cookie ? "; " : ", ")
            }
            set {
                fields.removeAll { $0.name == name }
                // Each cookie has a field of its own, as in HTTP/2.
                let values = name == .cookie ? newValue?.components(separatedBy: "; ") : newValue.map { [$0] }
                fields += (values ?? []).map { HTTPField(name: name, value: $0) }
            }
        }
    }
}

enum OpenAPIRuntime {
    protocol ClientTransport: Sendable {
        func send(
            _ request: HTTPTypes.HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
        ) async throws -> (HTTPTypes.HTTPResponse, HTTPBody?)
    }

    /// How often a body can be read.
    enum IterationBehavior: Sendable { case single, multiple }

    final class HTTPBody: AsyncSequence, Sendable {
        enum Length: Equatable, Sendable { case unknown, known(Int64) }

        struct TooManyIterations: Error {}
        struct TooManyBytes: Error {}

        struct Iterator: AsyncIteratorProtocol {
            fileprivate let read: () async throws -> ArraySlice<UInt8>?

            mutating func next() async throws -> ArraySlice<UInt8>? { try await read() }
        }

        let length: Length
        let iterationBehavior: IterationBehavior
        private let begin: @Sendable () -> Iterator
        private let iterations = Counter()

        init<Chunks: AsyncSequence & Sendable>(
            _ chunks: Chunks, length: Length, iterationBehavior: IterationBehavior
        ) where Chunks.Element: Sequence & Sendable, Chunks.Element.Element == UInt8 {
            (self.length, self.iterationBehavior) = (length, iterationBehavior)
            begin = {
                var iterator = chunks.makeAsyncIterator()
                return Iterator { try await iterator.next().map { ArraySlice($0) } }
            }
        }

        init(_ data: Data) {
            (length, iterationBehavior) = (.known(Int64(data.count)), .multiple)
            begin = {
                var rest: ArraySlice? = ArraySlice(data)
                return Iterator { rest.take() }
            }
        }

        func makeAsyncIterator() -> Iterator {
            iterations.increment()
            guard iterationBehavior == .multiple || iterations.count == 1 else {
                return Iterator { throw TooManyIterations() }
            }
            return begin()
        }
    }
}

extension Data {
    init(collecting body: OpenAPIRuntime.HTTPBody, upTo limit: Int) async throws {
        self.init()
        for try await chunk in body {
            guard count + chunk.count <= limit else { throw OpenAPIRuntime.HTTPBody.TooManyBytes() }
            append(contentsOf: chunk)
        }
    }
}
