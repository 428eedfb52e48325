import Foundation
import PackagePlugin

/// `swift package generate-api`: builds the generator, and runs it with the given arguments in the folder of the package.
///
/// It does not depend on the generator, because SwiftPM would then build Halyard a second time, for the host.
@main
struct GenerateAPIPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        if arguments.contains("-") {
            throw Failure(description: "a plugin has no standard input: give the document as a file")
        }
        let result = try packageManager.build(.product("halyard-openapi"), parameters: .init(configuration: .debug))
        let generator = result.builtArtifacts.first {
            $0.kind == .executable && $0.url.lastPathComponent.hasPrefix("halyard-openapi")
        }
        guard result.succeeded, let generator else {
            throw Failure(description: "the generator was not built\n\(result.logText)")
        }
        let process = Process()
        process.executableURL = generator.url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "the generator ended with status \(process.terminationStatus)")
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}
