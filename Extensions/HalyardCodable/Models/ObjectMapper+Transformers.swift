public import Halyard

extension ObjectMapper {
    /// A mapper with transformers for ``Mapped`` types, one for a type of value.
    ///
    /// ```swift
    /// let mapper = ObjectMapper(dates: .iso8601, transformers: .strict, .texts(true: "t", false: "f"))
    /// ```
    ///
    /// A property of that type, or an array, a dictionary or an optional of it, is read and written by the transformer,
    /// unless its ``Mapping/Field`` has one of its own. Properties of types that are only `Codable` are not.
    ///
    /// - Parameters:
    ///   - dates: how other dates stand; milliseconds since 1970 unless given.
    ///   - keys: how names stand; as they are written in the type unless given; those in a mapping always do.
    ///   - transformers: two for one type are an error of every object that is read or written with a mapping.
    public init<each Value>(
        dates: DateStyle = .millisecondsSince1970, keys: KeyStyle = .asWritten,
        transformers: repeat Transformer<each Value>
    ) {
        var list: [any AnyTransformer] = []
        repeat list.append(each transformers)
        guard let key = Transformers.key, !list.isEmpty else {
            self.init(dates: dates, keys: keys)
            return
        }
        self.init(dates: dates, keys: keys, userInfo: [key: Transformers(list)])
    }
}
