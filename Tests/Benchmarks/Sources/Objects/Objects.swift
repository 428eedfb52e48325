import Foundation
import HalyardAsync

/// Decodes and encodes JSON of several shapes with Halyard's mapper and with Foundation's coders, in turn, and prints the
/// medians and their ratios. `--check` exits with status 1 if a goal is missed.
@main
enum Objects {
    static func main() throws {
        let checks = CommandLine.arguments.contains("--check")
        let rounds = CommandLine.arguments.contains("--quick") ? 3 : 15
        let shapes = [
            try shape("500 objects, 105 KB", [Item].self, Item.some(500), repetitions: 20, decodeGoal: 4),
            try shape("one object, 1 KB", [Item].self, Item.some(5), repetitions: 1500, decodeGoal: 3),
            try shape("posts", Feed.self, Feed.some(300), repetitions: 4, decodeGoal: 3),
            try shape("catalogue", Catalogue.self, Catalogue.some(400), repetitions: 6, decodeGoal: 3),
            try shape("outlines", Outlines.self, Outlines.some(120), repetitions: 10, decodeGoal: 3),
        ]
        print(
            "| JSON | KB | decode us | Foundation us | ratio | encode us | Foundation us | ratio | json.loads us | of it |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|")
        var isMissed = false
        for (shape, goal) in shapes {
            let decode = try compare(rounds, shape.repetitions, shape.decodeOurs, shape.decodeFoundation)
            let encode = try compare(rounds, shape.repetitions, shape.encodeOurs, shape.encodeFoundation)
            let python = try pythonMicroseconds(shape.data)
            let (decodeRatio, encodeRatio) = (decode.other / decode.ours, encode.other / encode.ours)
            print(
                "| \(shape.name) | \(shape.data.count / 1000) | \(number(decode.ours)) | \(number(decode.other)) "
                    + "| \(number(decodeRatio)) | \(number(encode.ours)) | \(number(encode.other)) | \(number(encodeRatio)) "
                    + "| \(python.map(number) ?? "-") | \(python.map { number(decode.ours / $0) } ?? "-") |")
            if decodeRatio < goal || encodeRatio < goal || python.map({ decode.ours > 1.5 * $0 }) == true {
                isMissed = true
                print("MISSED: \(shape.name): at least \(goal) times Foundation, at most 1.5 times json.loads")
            }
        }
        let snakeCase = try snakeCaseRatio(rounds)
        print("snake case: \(number(snakeCase)) times the time of names as in the type, at most 1.15")
        if snakeCase > 1.15 { isMissed = true }
        if checks, isMissed { exit(1) }
    }

    private static func shape<Value: Codable & SendableMetatype>(
        _ name: String, _ type: Value.Type, _ value: Value, repetitions: Int, decodeGoal: Double
    ) throws -> (Shape, Double) {
        let (mapper, decoder, encoder) = (ObjectMapper.standard, JSONDecoder(), JSONEncoder())
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        guard try mapper.encode(value) == data, try mapper.encode(mapper.decode(Value.self, from: data)) == data else {
            throw CocoaError(.coderInvalidValue)
        }
        return (
            Shape(
                name: name, repetitions: repetitions, data: data,
                decodeOurs: { _ = try mapper.decode(Value.self, from: data) },
                decodeFoundation: { _ = try decoder.decode(Value.self, from: data) },
                encodeOurs: { _ = try mapper.encode(value) }, encodeFoundation: { _ = try encoder.encode(value) }),
            decodeGoal
        )
    }

    /// Returns the ratio of the times to decode the same objects with names in snake case, and as in the type.
    private static func snakeCaseRatio(_ rounds: Int) throws -> Double {
        let (plain, snakeCase) = (ObjectMapper.standard, ObjectMapper(keys: .snakeCase))
        let items = Item.some(500)
        let (data, snakeCaseData) = (try plain.encode(items), try snakeCase.encode(items))
        let times = try compare(
            rounds, 20, { _ = try snakeCase.decode([Item].self, from: snakeCaseData) },
            { _ = try plain.decode([Item].self, from: data) })
        return times.ours / times.other
    }

    /// Returns the medians of microseconds for each call.
    private static func compare(
        _ rounds: Int, _ repetitions: Int, _ ours: () throws -> Void, _ other: () throws -> Void
    ) throws -> (ours: Double, other: Double) {
        func time(_ body: () throws -> Void) rethrows -> Double {
            let duration = try ContinuousClock().measure { for _ in 0..<repetitions { try body() } }
            return (Double(duration.components.seconds) * 1e6 + Double(duration.components.attoseconds) / 1e12)
                / Double(repetitions)
        }
        var (mine, others): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            if round % 2 == 0 {
                mine.append(try time(ours))
                others.append(try time(other))
            } else {
                others.append(try time(other))
                mine.append(try time(ours))
            }
        }
        return (mine.sorted()[rounds / 2], others.sorted()[rounds / 2])
    }

    /// Returns the median time of CPython's `json.loads` for the same bytes. `nil` without Python.
    private static func pythonMicroseconds(_ data: Data) throws -> Double? {
        let file = FileManager.default.temporaryDirectory.appending(path: "objects-\(UUID().uuidString).json")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = """
            import json, sys, time
            data, times = open(sys.argv[1], 'rb').read(), []
            count = max(1, 2000000 // len(data))
            for _ in range(9):
                start = time.perf_counter()
                for _ in range(count): json.loads(data)
                times.append((time.perf_counter() - start) / count)
            print(sorted(times)[4] * 1e6)
            """
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, file.path]
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return nil }
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Double(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static func number(_ value: Double) -> String { String(format: value < 10 ? "%.2f" : "%.0f", value) }
}
