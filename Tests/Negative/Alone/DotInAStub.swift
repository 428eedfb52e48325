import Foundation
import HalyardEndpoints
import HalyardTesting

extension Endpoint<Void, [String]> { static let popular = Self(.get, "/popular") }

func dotInAStub(_ stub: StubTransport) {
    // error: type 'Route' has no member 'popular'
    stub.on(.popular, .status(200))
}
