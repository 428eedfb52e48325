import ContractEngines
import Foundation
import HalyardHTTP

/// Runs raw cases from a file, from a given index, and prints a line of JSON for each. A crash or a hang affects only
/// this process. A case that takes more than five seconds is ended by SIGALRM.
@main
enum Child {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let engine = Engine(rawValue: arguments[1]), let first = Int(arguments[3]) else {
            print("usage: contract-child ENGINE CASES FIRST")
            exit(2)
        }
        let cases = try JSONDecoder().decode([RawCase].self, from: Data(contentsOf: URL(filePath: arguments[2])))
        let transport = engine.make()
        for one in cases[first...] {
            alarm(5)
            let line = try JSONEncoder().encode(await one.run(transport)) + Data("\n".utf8)
            try FileHandle.standardOutput.write(contentsOf: line)
        }
    }
}
