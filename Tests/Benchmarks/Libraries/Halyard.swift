import HalyardAsync

struct API: HTTPProvider {
    let baseURL = base
}

@main enum Program {
    static func main() async throws {
        try await measure { try await API().request(Route(path: "/small")).data().count }
    }
}
