package import HalyardFoundation

/// The origins that have offered HTTP/3 with `Alt-Svc` (RFC 7838), in memory, and optionally in a file.
///
/// An engine remembers such origins by itself. With a file, a program that runs for a short time uses HTTP/3 from its
/// first request:
///
/// ```swift
/// let services = try AlternativeServiceStore(file: folder.appending(path: "alt-svc.json"))
/// let client = HTTPClient(engine: EngineConfiguration(alternativeServices: services))
/// ```
///
/// Engines over libcurl with the same store share its origins, at most 1000. Beyond that, the offer that ends first is
/// removed. An offer ends after its time (`ma`, 24 hours by default), with `Alt-Svc: clear`, or if the server responds
/// over HTTP/3 with 421.
///
/// Offers without `persist=1` are stored too, although RFC 7838 section 3.1 limits them to the present network. If
/// another network lets no QUIC through, an engine's first request to the origin uses TCP, and so do its next ones for
/// five minutes. That is not stored.
public final class AlternativeServiceStore: Sendable {
    private let offers: Lock<HTTP3Offers>
    /// Writes the file. `nil` for a store in memory.
    private let writer: StoreWriter<HTTP3Offers>?

    /// Creates a store in memory.
    public init() { (offers, writer) = (Lock(HTTP3Offers()), nil) }

    /// Makes a store with the offers of a file.
    package init(_ offers: [HTTP3Offer], _ write: @escaping StoreWriter<HTTP3Offers>.Write) {
        let offers = Lock(HTTP3Offers(offers))
        self.offers = offers
        writer = StoreWriter(offers, write)
    }

    /// The error of the last write to the file; `nil` if the file contains all origins. A failed write does not fail a
    /// request.
    public var writeError: HTTPError? { writer?.error }

    /// Removes all origins. Engines keep what they have learned themselves.
    public func removeAll() {
        offers.withLock { $0.removeAll() }
        writer?.flush()
    }

    /// Returns for how long an origin offers HTTP/3; `nil` if it does not.
    package func lifetime(of origin: Origin) -> Duration? {
        let now = Date()
        let offer = offers.withLock { $0.record(named: "\(origin)", now) }
        // A file may have any number, which a duration cannot.
        return offer.map { .seconds(min($0.expires.timeIntervalSince(now), Double(1 << 31))) }
    }

    /// Replaces the earlier offers of an origin. It does not wait for the disk.
    package func learn(_ services: [AlternativeService], of origin: Origin) {
        let (name, now, lifetime) = ("\(origin)", Date(), services.http3Lifetime(of: origin) ?? .zero)
        offers.withLock { offers in
            guard lifetime > .zero else { return offers.remove(named: name) }
            offers.insert(HTTP3Offer(name: name, expires: now.addingTimeInterval(lifetime.seconds)), now)
        }
    }

    /// Waits until the file contains the changes so far, or the task is cancelled.
    package func written() async {
        if let writer, writer.isBehind { await writer.written() }
    }
}

extension AlternativeServiceStore: Equatable {
    /// Returns whether two references are to one store.
    public static func == (left: AlternativeServiceStore, right: AlternativeServiceStore) -> Bool { left === right }
}

/// An origin that offers HTTP/3 for its own host and port.
package struct HTTP3Offer: ExpiringRecord {
    package static let limit = 1000

    /// The origin as a URL: `https://a.example`.
    package let name: String
    package var expires: Date

    package init(name: String, expires: Date) { (self.name, self.expires) = (name, expires) }
}

/// The offers of a store.
package typealias HTTP3Offers = ExpiringRecords<HTTP3Offer>
