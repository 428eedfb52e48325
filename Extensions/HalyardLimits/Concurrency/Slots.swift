import HalyardHTTP

/// The slots of a limit for requests at once, for each key. It decides only: it neither waits nor resumes.
struct Slots<Element: Sendable>: Sendable {
    /// What a request gets.
    enum Admission {
        /// A slot.
        case granted
        /// A place in the queue of its key.
        case waiting(WaitingLine<Element>.Ticket)
        /// Nothing: the queue is full.
        case full
    }

    private struct Place: Sendable {
        var taken = 0
        var line = WaitingLine<Element>()
    }

    /// The number of slots of each key.
    let limit: Int
    /// The number of places in the queue of each key.
    let queueLimit: Int
    /// The keys that have requests.
    private var places: [RequestKey.Value: Place] = [:]

    init(_ limit: Int, queue: Int = .max) {
        self.limit = max(1, limit)
        queueLimit = max(0, queue)
    }

    /// The number of keys that have requests.
    var keyCount: Int { places.count }

    /// Takes a slot, or else joins the queue.
    mutating func admit(_ element: Element, _ key: RequestKey.Value, _ priority: RequestPriority) -> Admission {
        var place = places.removeValue(forKey: key) ?? Place()
        defer { places[key] = place }
        if place.taken < limit {
            place.taken += 1
            return .granted
        }
        guard place.line.count < queueLimit else { return .full }
        return .waiting(place.line.append(element, priority))
    }

    /// Returns the next element of the queue, which takes the slot of one that ended. `nil` if none waits: the slot
    /// becomes free.
    mutating func release(_ key: RequestKey.Value) -> Element? {
        guard var place = places.removeValue(forKey: key) else { return nil }
        let next = place.line.next()
        if next == nil { place.taken -= 1 }
        if place.taken > 0 { places[key] = place }
        return next
    }

    /// Removes an element that stops waiting.
    mutating func leave(_ ticket: WaitingLine<Element>.Ticket, _ key: RequestKey.Value) {
        _ = places[key]?.line.remove(ticket)
    }
}
