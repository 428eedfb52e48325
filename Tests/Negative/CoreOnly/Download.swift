import Foundation
import Halyard

func example(_ request: Request) async throws {
    // error: 'download(to:resuming:)' is unavailable: import HalyardAsync to await a download
    _ = try await request.download(to: URL(filePath: "/tmp/x"))
}
