/// A value on the heap: as cheap to hand on as one reference, however many fields it has, and a value all the same.
///
/// Requests and responses pass through a dozen functions each. A copy of their fields counts a reference up and down
/// for each that holds one, and moves some hundreds of bytes: together as much as all the rest of the pipeline does.
package struct Box<Fields: Sendable>: Sendable {
    /// Unchecked, and sound: it is changed only by a box that has it alone.
    final class Room: @unchecked Sendable {
        // Not checked at run time: the box is a value, and the compiler sees to it that one at a time changes it.
        @exclusivity(unchecked) var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var room: Room

    package init(_ fields: Fields) { room = Room(fields) }

    /// What is in it.
    var fields: Fields { _read { yield room.fields } }

    /// What is in it, to be changed at once, by nothing that copies the box: a copy where another has it as well.
    var own: Room {
        mutating get {
            if !isKnownUniquelyReferenced(&room) { room = Room(room.fields) }
            return room
        }
    }
}
