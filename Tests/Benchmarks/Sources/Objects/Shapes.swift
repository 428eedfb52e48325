import Foundation

/// JSON of one shape, and the type that it is decoded into.
struct Shape {
    let name: String
    /// The number of decodings in one measurement.
    let repetitions: Int
    let data: Data
    let decodeOurs: () throws -> Void
    let decodeFoundation: () throws -> Void
    let encodeOurs: () throws -> Void
    let encodeFoundation: () throws -> Void
}

/// A random number generator with the same numbers in every run.
struct Chance: RandomNumberGenerator {
    private var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}

/// 500 of these objects have about 105 kB.
struct Item: Codable {
    struct Address: Codable { var street, city, zip: String }

    var id: Int, name, email: String, isActive: Bool, score: Double, tags: [String], address: Address
    var createdAt: Int, nickname: String?, count: Int

    static func some(_ count: Int) -> [Item] {
        (0..<count).map { index in
            Item(
                id: index, name: "Name \(index)", email: "user\(index)@example.com", isActive: index % 2 == 0,
                score: Double(index) * 1.25, tags: ["a\(index)", "b"],
                address: Address(street: "Main \(index)", city: "Berlin", zip: "1000\(index)"),
                createdAt: 1_700_000_000 + index, nickname: index % 3 == 0 ? nil : "nick", count: index * 7)
        }
    }
}

/// Posts with their authors: many optional members, long texts outside ASCII, escapes.
struct Feed: Codable {
    struct User: Codable {
        var id: Int, idText, name, screenName, location, description: String, url: String?, isProtected: Bool
        var followersCount, friendsCount, listedCount, favouritesCount, statusesCount: Int, createdAt: String
        var utcOffset: Int?, timeZone: String?, isGeoEnabled, isVerified: Bool, language: String
        var profileBackgroundColor, profileBackgroundImage, profileImage, profileLinkColor: String
    }
    struct Tag: Codable { var text: String, indices: [Int] }
    struct Entities: Codable { var hashtags: [Tag], urls: [String], mentions: [Tag] }
    struct Post: Codable {
        var id: Int, idText, text, source, createdAt: String, isTruncated: Bool, replyTo: Int?, replyToText: String?
        var user: User, place: String?, contributors: [Int]?, retweets, favourites: Int, entities: Entities
        var isFavourited, isRetweeted: Bool, language: String
    }
    var posts: [Post]

    static func some(_ count: Int) -> Feed {
        let text = "これはテストです — \"quoted\" text with a line break\nand a tab\t, é and 👍 in it; "
        return Feed(
            posts: (0..<count).map { index in
                let user = User(
                    id: 1_186_275_104 + index, idText: "118627510\(index)", name: "名前 \(index)",
                    screenName: "user_\(index)",
                    location: "", description: String(text.prefix(40)),
                    url: index % 2 == 0 ? nil : "https://example.com/\(index)",
                    isProtected: false, followersCount: 262, friendsCount: 252, listedCount: 0, favouritesCount: 235,
                    statusesCount: 1_769, createdAt: "Sat Feb 16 13:46:25 +0000 2013", utcOffset: nil, timeZone: nil,
                    isGeoEnabled: true, isVerified: false, language: "en", profileBackgroundColor: "C0DEED",
                    profileBackgroundImage: "https://example.com/images/themes/theme1/bg.png",
                    profileImage: "https://example.com/profile_images/\(index)/normal.jpeg", profileLinkColor: "0084B4")
                return Post(
                    id: 505_874_924_095_815_681 + index, idText: "50587492409581568\(index)", text: text,
                    source: "<a href=\"x\">web</a>",
                    createdAt: "Sun Aug 31 00:29:15 +0000 2014", isTruncated: false, replyTo: index % 4 == 0 ? 1 : nil,
                    replyToText: nil, user: user, place: nil, contributors: nil, retweets: index, favourites: 0,
                    entities: Entities(
                        hashtags: [Tag(text: "tag", indices: [1, 5])], urls: ["https://example.com/u"], mentions: []),
                    isFavourited: false, isRetweeted: index % 5 == 0, language: "ja")
            })
    }
}

/// A catalogue: large dictionaries with numbers as names, lists of numbers.
struct Catalogue: Codable {
    struct Event: Codable { var id: Int, name: String, description, logo: String?, subTopicIds, topicIds: [Int] }
    struct Price: Codable { var amount, audienceSubCategoryId, seatCategoryId: Int }
    struct Seats: Codable { var areas: [[String: Int]], seatCategoryId: Int }
    struct Performance: Codable {
        var id, eventId: Int, logo: String?, name: String?, prices: [Price], seatCategories: [Seats], start: Int,
            venueCode: String
    }
    var events: [String: Event], names: [String: String], performances: [Performance]

    static func some(_ count: Int) -> Catalogue {
        var catalogue = Catalogue(events: [:], names: [:], performances: [])
        for index in 0..<count {
            let id = 138_586_341 + index
            catalogue.events["\(id)"] = Event(
                id: id, name: "Event \(index)", description: nil, logo: index % 3 == 0 ? nil : "/images/\(id).jpg",
                subTopicIds: [337_184_269, 337_184_283], topicIds: [324_846_099, 107_888_604])
            catalogue.names["\(205_705_993 + index)"] = "Category \(index)"
            catalogue.performances.append(
                Performance(
                    id: id, eventId: id, logo: nil, name: nil,
                    prices: (0..<3).map {
                        Price(amount: 90_250 + $0, audienceSubCategoryId: 337_100_890, seatCategoryId: 338_937_295)
                    },
                    seatCategories: (0..<2).map { _ in
                        Seats(areas: [["areaId": 205_705_999], ["areaId": 205_705_998]], seatCategoryId: 338_937_295)
                    }, start: 1_372_701_600_000, venueCode: "PLEYEL_PLEYEL"))
        }
        return catalogue
    }
}

/// Outlines on a map: only numbers with many digits.
struct Outlines: Codable {
    var coordinates: [[[Double]]]

    static func some(_ count: Int) -> Outlines {
        var chance = Chance()
        return Outlines(
            coordinates: (0..<count).map { _ in
                (0..<50).map { _ in [.random(in: -180...180, using: &chance), .random(in: -90...90, using: &chance)] }
            })
    }
}
