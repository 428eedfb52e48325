import HalyardFoundation

/// How a mapper's coders read and write.
final class ObjectCoding: Sendable {
    let dates: ObjectMapper.DateStyle
    let isSnakeCase: Bool
    let userInfo: [CodingUserInfoKey: any Sendable]

    init(dates: ObjectMapper.DateStyle, isSnakeCase: Bool, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.dates = dates
        self.isSnakeCase = isSnakeCase
        self.userInfo = userInfo
    }
}
