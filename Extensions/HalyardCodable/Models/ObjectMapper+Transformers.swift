public import Halyard

extension ObjectMapper {
    /// Makes a mapper with transformers for the properties of ``Mapped`` types.
    ///
    /// ```swift
    /// let mapper = ObjectMapper(dates: .iso8601, transformers: .strictURL, .texts(true: "t", false: "f"))
    /// ```
    ///
    /// A transformer reads and writes the properties of its type, and arrays, dictionaries and optionals of the type,
    /// unless their ``Mapping/Field`` has its own transformer. It does not apply to types that are only `Codable`.
    ///
    /// - Parameters:
    ///   - dates: The representation of dates without a transformer. Defaults to ``DateStyle/automatic``.
    ///   - keys: The conversion of names. Defaults to no conversion. Names in a mapping are never converted.
    ///   - transformers: At most one transformer for each type. With two for one type, every object with a mapping
    ///     fails to decode and encode.
    public init<each Value>(
        dates: DateStyle = .automatic, keys: KeyStyle = .asWritten,
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
