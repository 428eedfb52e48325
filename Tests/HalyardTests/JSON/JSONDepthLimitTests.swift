import Halyard
import Testing

struct JSONDepthLimitTests {
    private func nested(_ depth: Int) -> JSON {
        (0..<depth).reduce(JSON.null) { json, level in level % 2 == 0 ? [json] : ["a": json] }
    }

    @Test(arguments: [(0, 0, false), (1, 0, true), (1, 1, false), (5, 4, true), (5, 5, false), (600, 512, true)])
    func `depth counts the arrays and objects nested inside each other`(depth: Int, limit: Int, isDeeper: Bool) {
        #expect(nested(depth).isDeeper(than: limit) == isDeeper)
    }

    @Test func `a body nested beyond the limit fails, and one at the limit is decoded`() throws {
        let body = RouteBody.json(nested(513))
        #expect(throws: HTTPError(.encoding("the body"))) { try body.make(.standard) }
        #expect(try RouteBody.json(nested(512)).make(.standard)?.body.length ?? 0 > 512)
    }
}
