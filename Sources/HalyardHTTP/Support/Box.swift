/// Copy-on-write storage for a value with many fields. A copy costs one reference count.
///
/// Requests and responses pass through a dozen functions. Copying all their fields would retain and release each
/// reference in them and move hundreds of bytes, which costs as much as the rest of the pipeline.
package struct Box<Fields: Sendable>: Sendable {
    /// Unchecked, and sound: it is changed only by storage that holds the only reference to it.
    final class Room: @unchecked Sendable {
        // Not checked at run time: the storage is a value, and the compiler enforces exclusive access to it.
        @exclusivity(unchecked) var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var room: Room

    package init(_ fields: Fields) { room = Room(fields) }

    /// The fields.
    var fields: Fields { _read { yield room.fields } }

    /// The fields for a change in place. They are copied first if the storage is shared.
    var own: Room {
        mutating get {
            if !isKnownUniquelyReferenced(&room) { room = Room(room.fields) }
            return room
        }
    }
}
