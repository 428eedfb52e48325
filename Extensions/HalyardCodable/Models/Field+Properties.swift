// One initialiser for each shape that a property may have around what is transformed. What does not fit does not compile.

extension Mapping.Field {
    /// A property that is `Codable`.
    ///
    /// - Parameters:
    ///   - property: which one.
    ///   - name: the member's name in the JSON.
    ///   - options: what is allowed beyond the usual.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .plain())
    }

    /// An optional property that is `Codable`.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .plain())
    }

    /// A property that a transformer reads and writes. `null` is not shown to it.
    ///
    /// - Parameters:
    ///   - property: which one: of the transformer's type, or an array, a dictionary or an optional of it.
    ///   - name: the member's name in the JSON.
    ///   - transformer: it stands over the provider's.
    ///   - options: what is allowed beyond the usual.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(transformer))
    }

    /// An optional property that a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(transformer))
    }

    /// An array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(.array(of: transformer)))
    }

    /// An optional array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(.array(of: transformer)))
    }

    /// A dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(.dictionary(of: transformer)))
    }

    /// An optional dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(.dictionary(of: transformer)))
    }
}
