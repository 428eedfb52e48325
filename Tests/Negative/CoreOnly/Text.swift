import Foundation
import Halyard

func example(_ request: Request) async throws {
    // error: 'text()' is unavailable: import HalyardAsync to await a response
    _ = try await request.text()
}
