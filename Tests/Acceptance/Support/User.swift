extension User: Equatable {
    static func == (left: User, right: User) -> Bool { left.id == right.id && left.name == right.name }
}
