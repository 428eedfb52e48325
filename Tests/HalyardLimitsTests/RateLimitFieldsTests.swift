import HalyardAsync
import Testing

@testable import HalyardLimits

/// The header fields `RateLimit` and `RateLimit-Policy`.
struct RateLimitFieldsTests {
    private func quotas(_ limit: String, _ policy: String? = nil) -> [String] {
        var headers: HTTPHeaders = ["RateLimit": limit]
        headers["RateLimit-Policy"] = policy
        return RateLimitFields(headers).quotas.map { "\($0.name) \($0.remaining) \($0.reset)" }
    }

    @Test(
        arguments: [
            ("\"default\";r=50;t=30", nil, ["default 50 30"]),
            ("default;r=0;t=1", nil, ["default 0 1"]),
            ("\"a, b; c\"; r=1; t=2 , \"d\";t=4;r=3", nil, ["a, b; c 1 2", "d 3 4"]),
            ("(a b);r=1;t=1, \"n\";r=-1;t=60, \"m\";r=1.5;t=1, 7;r=1;t=1, \"k\";r=1;t=1", nil, ["k 1 1"]),
            ("\"hour\";r=5", "\"hour\";q=100;w=3600", ["hour 5 3600"]),
            ("\"hour\";r=5;t=60", "\"day\";q=9;w=9, \"hour\";q=100;w=3600", ["hour 5 60"]),
            ("\"hour\";r=5", "\"day\";q=100;w=3600", []),
            ("\"bytes\";r=5;t=60", "\"bytes\";q=100;qu=\"content-bytes\";w=3600", []),
            ("\"n\";r=5;t=60", "\"n\";q=100;qu=\"requests\";w=3600", ["n 5 60"]),
            ("\"n\";r=-1;t=60, \"m\";r=1.5;t=1, \"k\";r=;t=1, ;r=1;t=1, \"unclosed;r=1;t=1", nil, []),
            ("limit=100, remaining=50, reset=5", nil, []), ("", nil, []),
            ("\"n\";r=999999999999999;t=999999999999999", nil, ["n \(Int(clamping: 999_999_999_999_999)) 31536000"]),
            ("\"n\";r=9999999999999999;t=1", nil, []),
        ] as [(String, String?, [String])])
    func `headers are read as the draft specifies, and anything else is ignored`(
        limit: String, policy: String?, expected: [String]
    ) {
        #expect(quotas(limit, policy) == expected)
    }

    @Test func `a response without the header gives no quota, and at most eight quotas are read`() {
        #expect(RateLimitFields(["RateLimit-Policy": "\"n\";q=1;w=1", "X-RateLimit-Remaining": "0"]).quotas == [])
        #expect(quotas((0..<100).map { "\"\($0)\";r=1;t=1" }.joined(separator: ",")).count == 8)
    }
}
