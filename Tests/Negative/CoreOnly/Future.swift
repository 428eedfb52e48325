import Foundation
import Halyard

func example(_ request: Request) async throws {
    // error: 'future(of:)' is unavailable: import HalyardFutures for futures
    let future = request.future(of: Int.self)
}
