import Foundation
import OpenAPIGenerator

/// One run of the command.
struct Generation {
    private var document = ""
    private var output = ""
    private var stubs: String?
    private var changesPath: String?
    private var name: String?
    private var isPublic = false
    private var selection = Selection()
    private var checks = false
    private var isStrict = false

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        func value(of option: String) throws(UsageError) -> String {
            guard let value = rest.popFirst() else { throw UsageError(reason: "\(option) needs a value") }
            return value
        }
        func list(of option: String) throws(UsageError) -> [String] {
            let names = try value(of: option).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard !names.isEmpty else { throw UsageError(reason: "\(option) needs a name, or several with commas") }
            return names
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--output": output = try value(of: argument)
            case "--stubs": stubs = try value(of: argument)
            case "--changes": changesPath = try value(of: argument)
            case "--name":
                let text = try value(of: argument)
                guard text.first?.isLetter == true, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
                else {
                    throw UsageError(reason: "--name is a name of a type, such as GitHubAPI, not \(text)")
                }
                name = text
            case "--access":
                let access = try value(of: argument)
                guard ["public", "internal"].contains(access) else {
                    throw UsageError(reason: "--access is public or internal, not \(access)")
                }
                isPublic = access == "public"
            case "--tags": selection.tags += try list(of: argument)
            case "--operations": selection.operations += try list(of: argument)
            case "--paths": selection.paths += try list(of: argument)
            case "--check": checks = true
            case "--strict": isStrict = true
            default:
                guard !argument.hasPrefix("--") else { throw UsageError(reason: "\(argument) is not an option") }
                guard document.isEmpty else {
                    throw UsageError(reason: "only one document is read, not \(argument) as well")
                }
                document = argument
            }
        }
        guard !document.isEmpty else { throw UsageError(reason: "the document is missing") }
        guard !output.isEmpty else { throw UsageError(reason: "--output is missing") }
    }

    func run() throws {
        let document = try OpenAPIDocument(Self.read(self.document))
        let plan = try Plan(document, name: name, selection: selection, changes: changes(for: document))
        for remark in plan.remarks { Self.report("\(isStrict ? "error" : "warning"): \(remark)") }
        if isStrict, !plan.remarks.isEmpty {
            throw GenerationFailure(description: "\(plan.remarks.count) places cannot be generated")
        }
        let style = Plan.Style(isPublic: isPublic, command: "swift package generate-api")
        var folders = [GeneratedFolder(output, plan, plan.files(style))]
        if let stubs {
            let file = try plan.exampleFile(document, style)
            if folders[0].isFolder(stubs) {
                folders[0].files.append(file)
            } else {
                folders.append(GeneratedFolder(stubs, plan, [file], removesOthers: false))
            }
        }
        if checks {
            let names = folders.flatMap { $0.changes() }
            if !names.isEmpty {
                throw GenerationFailure(description: "not up to date: \(names.joined(separator: ", "))")
            }
            return
        }
        for folder in folders { try folder.write() }
        let operations = plan.groups.reduce(0) { $0 + $1.operations.count }
        let files = folders.reduce(0) { $0 + $1.files.count }
        print("\(operations) operations and \(plan.models.count) models in \(files) files")
    }

    private func changes(for document: OpenAPIDocument) throws -> Changes {
        guard let path = changesPath else { return Changes() }
        return try Changes(Self.read(path), for: document)
    }

    private static func read(_ path: String) throws -> Data {
        if path == "-" { return try read(FileHandle.standardInput) }
        let isFolder = (try? URL(filePath: path).resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
        if isFolder { throw GenerationFailure(description: "\(path) is a folder, not a document") }
        do {
            return try read(FileHandle(forReadingFrom: URL(filePath: path)))
        } catch {
            throw GenerationFailure(description: "\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Writes a line to standard error.
    static func report(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }

    /// Reads a file, but no more than one byte beyond the limit, which suffices to refuse it.
    private static func read(_ file: FileHandle) throws -> Data {
        var data = Data()
        while data.count <= OpenAPIDocument.limit,
            let part = try file.read(upToCount: OpenAPIDocument.limit + 1 - data.count), !part.isEmpty
        {
            data += part
        }
        return data
    }
}

/// Wrong arguments.
struct UsageError: Error { let reason: String }
