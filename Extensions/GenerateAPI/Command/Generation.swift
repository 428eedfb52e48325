import Foundation
import OpenAPIGenerator

/// One run of the command.
struct Generation {
    private var document = ""
    private var output = ""
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
        while let argument = rest.popFirst() {
            switch argument {
            case "--output": output = try value(of: argument)
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
            case "--tags": selection.tags += try value(of: argument).split(separator: ",").map(String.init)
            case "--operations": selection.operations += try value(of: argument).split(separator: ",").map(String.init)
            case "--paths": selection.paths += try value(of: argument).split(separator: ",").map(String.init)
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
        let plan = try Plan(OpenAPIDocument(read()), name: name, selection: selection)
        for remark in plan.remarks { Self.report("\(isStrict ? "error" : "warning"): \(remark)") }
        if isStrict, !plan.remarks.isEmpty {
            throw Failure(description: "\(plan.remarks.count) places cannot be generated")
        }
        let files = plan.files(Plan.Style(isPublic: isPublic, command: "swift package generate-api"))
        let folder = URL(filePath: output, directoryHint: .isDirectory)
        let written = try Self.generated(in: folder)
        // The files of another client in the same folder stay.
        let own = written.filter { $0.hasPrefix("\(plan.provider.name).") || $0.hasPrefix("\(plan.provider.name)+") }
        let stale = own.subtracting(files.map(\.name))
        if checks {
            let changed = files.filter {
                (try? String(contentsOf: folder.appending(path: $0.name), encoding: .utf8)) != $0.text
            }
            let names = (changed.map(\.name) + stale).sorted()
            if !names.isEmpty { throw Failure(description: "not up to date: \(names.joined(separator: ", "))") }
            return
        }
        for (name, _) in files where !written.contains(name) {
            guard !FileManager.default.fileExists(atPath: folder.appending(path: name).path) else {
                throw Failure(
                    description: "\(name) in the output folder was not generated. Move it, or choose another folder")
            }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic) }
        for name in stale { try FileManager.default.removeItem(at: folder.appending(path: name)) }
        let operations = plan.groups.reduce(0) { $0 + $1.operations.count }
        print("\(operations) operations and \(plan.models.count) models in \(files.count) files")
    }

    private func read() throws -> Data {
        if document == "-" { return try Self.read(FileHandle.standardInput) }
        do {
            return try Self.read(FileHandle(forReadingFrom: URL(filePath: document)))
        } catch {
            throw Failure(description: "\(document) cannot be read: \(error.localizedDescription)")
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

    /// The names of the files in a folder that an earlier run has written.
    private static func generated(in folder: URL) throws -> Set<String> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Set(
            names.filter { name in
                guard name.hasSuffix(".swift") else { return false }
                let text = (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
                return text.prefix(200).contains("generated by swift package generate-api")
            })
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}

/// Wrong arguments.
struct UsageError: Error { let reason: String }
