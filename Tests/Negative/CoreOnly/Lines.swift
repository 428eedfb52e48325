import Foundation
import Halyard

func example(_ request: Request) async throws {
    // error: 'lines' is unavailable: import HalyardAsync to read a stream
    for try await line in request.lines { print(line) }
}
