import Foundation
import HalyardAsync

struct API: HTTPProvider { let baseURL = URL(string: "https://api.example.com")! }

func items(_ api: API, _ route: Route, _ paging: Paging) {
    // error: value of type 'API' has no member 'items'
    _ = api.items(route, by: paging)
}
