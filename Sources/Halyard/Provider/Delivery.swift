/// Where a handler runs that no actor and no `on:` claims.
///
/// A handler that is written in a method of an actor, the main actor for one, always runs there. All others run on
/// the main actor as well, unless the provider's `delivery` says otherwise: a program whose main thread blocks, and
/// so never gets to them, sets ``global``.
public struct Delivery: Sendable, Hashable {
    package let isMain: Bool

    /// The main actor.
    public static let main = Delivery(isMain: true)
    /// Swift's concurrent pool: handlers may run at the same time as others. One that blocks for long belongs on a
    /// queue, with `on:`.
    public static let global = Delivery(isMain: false)
}
