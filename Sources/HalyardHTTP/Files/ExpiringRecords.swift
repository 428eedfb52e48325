package import HalyardFoundation

/// A record that is kept until a time.
package protocol ExpiringRecord: Sendable, Equatable {
    /// The maximum number of records of the type.
    static var limit: Int { get }

    /// What the record is about. A later record replaces the one with the same name.
    var name: String { get }
    var expires: Date { get set }
}

/// The records of a store that expire. It has no side effects.
package struct ExpiringRecords<Record: ExpiringRecord>: WrittenStore {
    private var records: [String: Record] = [:]
    package private(set) var revision: UInt64 = 0

    package init(_ records: [Record] = []) {
        for record in records { self.records[record.name] = record }
    }

    package var isEmpty: Bool { records.isEmpty }

    /// All records, by name.
    package var all: [Record] { records.values.sorted { $0.name < $1.name } }

    /// Returns the record with a name; `nil` if there is none, or if it has expired.
    package func record(named name: String, _ now: Date) -> Record? {
        records[name].flatMap { now < $0.expires ? $0 : nil }
    }

    /// Stores a record. If there are too many, the one that expires first is removed.
    package mutating func insert(_ new: Record, _ now: Date) {
        // Servers move the end with each response, which is not worth a write until a tenth of the time has passed.
        if var old = records[new.name] {
            let difference = abs(new.expires.timeIntervalSince(old.expires))
            old.expires = new.expires
            if old == new, difference < new.expires.timeIntervalSince(now) / 10 { return }
        }
        records[new.name] = new
        revision += 1
        shrink(now)
    }

    package mutating func remove(named name: String) {
        if records.removeValue(forKey: name) != nil { revision += 1 }
    }

    package mutating func removeAll() {
        records = [:]
        revision += 1
    }

    private mutating func shrink(_ now: Date) {
        guard records.count > Record.limit else { return }
        records = records.filter { now < $0.value.expires }
        guard records.count > Record.limit, let first = records.min(by: { $0.value.expires < $1.value.expires }) else {
            return
        }
        records[first.key] = nil
    }
}
