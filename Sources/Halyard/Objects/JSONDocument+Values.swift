import HalyardFoundation

extension JSONDocument {
    /// Reads a value of any type.
    ///
    /// - Throws: `DecodingError`; `CancellationError` if the task was cancelled; errors of the type's `init(from:)`.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int, in parent: Int) throws -> T {
        let kind = types.kind(of: type)
        guard kind == .own || kind == .verbatim else { return try decode(type, as: kind, at: index, in: parent) }
        return try T(from: JSONValueDecoder(self, index, parent))
    }

    @inline(never)
    private func decode<T: Decodable>(_ type: T.Type, as kind: TypeKind, at index: Int, in parent: Int) throws -> T {
        @inline(__always)
        func scalar<Value: JSONScalar>(_ value: Value.Type) throws -> T {
            identical(try value.read(from: self, at: index, in: parent), as: T.self)
        }
        return switch kind {
        case .own, .verbatim: try T(from: JSONValueDecoder(self, index, parent))
        case .bool: try scalar(Bool.self)
        case .string: try scalar(String.self)
        case .double: try scalar(Double.self)
        case .float: try scalar(Float.self)
        case .int: try scalar(Int.self)
        case .int8: try scalar(Int8.self)
        case .int16: try scalar(Int16.self)
        case .int32: try scalar(Int32.self)
        case .int64: try scalar(Int64.self)
        case .uint: try scalar(UInt.self)
        case .uint8: try scalar(UInt8.self)
        case .uint16: try scalar(UInt16.self)
        case .uint32: try scalar(UInt32.self)
        case .uint64: try scalar(UInt64.self)
        case .date: identical(try date(at: index, in: parent), as: T.self)
        case .data: identical(try data(at: index, in: parent), as: T.self)
        case .url: identical(try url(at: index, in: parent), as: T.self)
        case .decimal: identical(try decimal(at: index, in: parent), as: T.self)
        case .json: identical(try json(at: index), as: T.self)
        case .container: try container(type, at: index, in: parent)
        }
    }

    /// Reads an array, or a dictionary with strings as keys.
    private func container<T: Decodable>(_ type: T.Type, at index: Int, in parent: Int) throws -> T {
        func read<Container: JSONContainer>(_ container: Container.Type) throws -> T {
            identical(try container.read(from: self, at: index, in: parent), as: T.self)
        }
        guard let container = type as? any JSONContainer.Type else {
            return try T(from: JSONValueDecoder(self, index, parent))
        }
        return try read(container)
    }
}

extension JSONDocument {
    private func string(for type: Any.Type, at index: Int, in parent: Int) throws -> String {
        guard self[index].isKind(.string) else { throw mismatch(type, at: index, in: parent) }
        return string(of: self[index])
    }

    private func data(at index: Int, in parent: Int) throws -> Data {
        let wanted: Any.Type = self[index].isKind(.null) ? Data.self : String.self
        guard let data = Data(base64Encoded: try string(for: wanted, at: index, in: parent)) else {
            throw invalid("Encountered Data is not valid Base64.", at: index, in: parent)
        }
        return data
    }

    private func url(at index: Int, in parent: Int) throws -> URL {
        let wanted: Any.Type = self[index].isKind(.null) ? URL.self : String.self
        guard let url = URL(string: try string(for: wanted, at: index, in: parent)) else {
            throw invalid("Invalid URL string.", at: index, in: parent)
        }
        return url
    }

    private func decimal(at index: Int, in parent: Int) throws -> Decimal {
        guard self[index].isKind(.number) else { throw mismatch(Decimal.self, at: index, in: parent) }
        guard let value = Decimal(string: text(ofNumber: self[index]), locale: nil) else {
            throw misfit(Decimal.self, at: index, in: parent)
        }
        return value
    }
}

extension JSONDocument {
    private func date(at index: Int, in parent: Int) throws -> Date {
        switch coding.dates.kind {
        case .automatic where self[index].isKind(.number), .milliseconds:
            return Date(timeIntervalSince1970: try seconds(at: index, in: parent) / 1000)
        case .seconds: return Date(timeIntervalSince1970: try seconds(at: index, in: parent))
        case .automatic: return try date(assuming: nil, at: index, in: parent)
        case .iso8601(let zone): return try date(assuming: zone, at: index, in: parent)
        case .custom(let custom): return try custom.decode(JSONValueDecoder(self, index, parent))
        }
    }

    /// Reads the number of a date. An error says that a date is missing, and not that a number is.
    private func seconds(at index: Int, in parent: Int) throws -> Double {
        guard self[index].isKind(.number) else { throw mismatch(Date.self, at: index, in: parent) }
        return try Double.read(from: self, at: index, in: parent)
    }

    private func date(assuming zone: TimeZone?, at index: Int, in parent: Int) throws -> Date {
        let text = try string(for: Date.self, at: index, in: parent)
        if let date = Date(iso8601: text, assuming: zone) { return date }
        let hasNoZone = zone == nil && Date(iso8601: text, assuming: .gmt) != nil
        throw invalid(
            "\"\(text.prefix(40))\" \(hasNoZone ? "has no time zone" : "is not an ISO 8601 date")", at: index,
            in: parent, cause: hasNoZone ? DateWithoutZone() : nil)
    }
}
