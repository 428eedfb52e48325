import Foundation
import OpenAPIGenerator

/// Writes a client for an OpenAPI document. See ``usage``.
@main
struct GenerateAPI {
    static let usage = """
        usage: swift package generate-api DOCUMENT --output FOLDER [options]

        Writes a provider, its endpoints and its models in Swift for an OpenAPI document, 3.0 or 3.1, in JSON. DOCUMENT
        is a file. The program halyard-openapi also takes - for standard input, which a plugin does not have.

          --output FOLDER       where to write the files. Files that an earlier run wrote are removed.
          --stubs FOLDER        where to write stubs for tests, which answer with the examples of the document
          --changes FILE        names, types and places to skip, in JSON. See the article "Generating a client".
          --name NAME           the name of the provider. It is made from the document's title otherwise.
          --access public       makes everything public. It is internal otherwise.
          --tags A,B            only the operations with these tags,
          --operations A,B      with these IDs,
          --paths A,B           or of these paths, and the models that they need
          --check               writes nothing, and fails if the files are not as they would be written
          --strict              fails if something cannot be generated as the document says

        The exit status is 0 after success, 1 if the document cannot be read, or after --check or --strict, and 64 for
        wrong arguments.
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") { return print(usage) }
        do {
            try Generation(arguments).run()
        } catch let error as UsageError {
            Generation.report("\(error.reason)\n\n\(usage)")
            exit(64)
        } catch {
            Generation.report("error: \(error)")
            exit(1)
        }
    }
}
