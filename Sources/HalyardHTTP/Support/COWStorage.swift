/// Copy-on-write storage for a value with many fields. A copy costs one reference count.
///
/// Requests and responses pass through a dozen functions. Copying all their fields would retain and release each
/// reference in them and move hundreds of bytes, which costs as much as the rest of the pipeline.
package struct COWStorage<Fields: Sendable>: Sendable {
    /// `@unchecked Sendable` is sound: only storage that has the only reference to the buffer changes it.
    package final class Buffer: @unchecked Sendable {
        // Not checked at run time: the storage is a value, and the compiler enforces exclusive access to it.
        @exclusivity(unchecked) package var fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var buffer: Buffer

    package init(_ fields: Fields) { buffer = Buffer(fields) }

    package var fields: Fields { _read { yield buffer.fields } }

    /// The buffer for a change in place. The fields are copied first if the storage is shared.
    package var unique: Buffer {
        mutating get {
            if !isKnownUniquelyReferenced(&buffer) { buffer = Buffer(buffer.fields) }
            return buffer
        }
    }
}
