// One initialiser for each type of property: a value, an optional, an array, a dictionary. A transformer of another
// type is a compiler error. In all of them, `name` is that of the member in the JSON, and a transformer takes precedence
// over the provider's.

extension Mapping.Field {
    /// Makes a field of a `Codable` property.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .plain())
    }

    /// Makes a field of an optional `Codable` property.
    public init<Value: Codable & SendableMetatype>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .plain())
    }

    /// Makes a field of a property that a transformer reads and writes. The transformer does not receive `null`.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(transformer))
    }

    /// Makes a field of an optional property that a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, Value?> & Sendable, _ name: String, using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(transformer))
    }

    /// Makes a field of an array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(.array(of: transformer)))
    }

    /// Makes a field of an optional array whose elements a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>,
        _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(.array(of: transformer)))
    }

    /// Makes a field of a dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(property, name, options, .transformed(.dictionary(of: transformer)))
    }

    /// Makes a field of an optional dictionary whose values a transformer reads and writes.
    public init<Value>(
        _ property: any WritableKeyPath<Root, [String: Value]?> & Sendable, _ name: String,
        using transformer: Transformer<Value>, _ options: FieldOptions = []
    ) {
        self.init(optional: property, name, options, .transformed(.dictionary(of: transformer)))
    }
}
