import Foundation
import HalyardAsync

struct Order: Codable, Sendable {
    var id: Int
    var item: String
}

struct Shop: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

extension Route {
    static func order(_ id: Int) -> Route { Route(path: "/orders/\(id)") }
    static func place(_ order: Order) -> Route {
        Route(path: "/orders", method: .post, body: .json(order))
    }
}

// The above begins the README, which shows the parts of these functions as well. `ReadmeTests` runs them.

func useShop(_ shop: Shop) async throws {
    let order: Order = try await shop.request(.order(7)).object()

    try await shop.request(.place(Order(id: 8, item: "rope"))).void()

    do {
        let other: Order = try await shop.request(.order(9)).object()
        print(order.item, other.item)
    } catch HTTPError.status(404) {
        print("no such order")
    }
}

func useNoProvider() async throws {
    let url = "https://api.example.com/v1/orders/7"
    let json = try await DefaultProvider.request(url).json()
    print(json["item"].string ?? "nothing")
}
