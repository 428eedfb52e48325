public import HalyardFoundation
public import HalyardHTTP

extension AlternativeServiceStore {
    /// Creates a store with a file. By the time a response is returned, the file contains what its origin offers. The
    /// file is replaced as a whole, and only its user can read it (mode 0600). If two processes write it, the last write
    /// wins.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile` if the file is damaged or of another kind. The file is then not
    ///   changed.
    public convenience init(file: URL) throws(HTTPError) {
        let file = RecordFile(url: file, format: "halyard-alt-svc", content: "origins")
        self.init(try file.read(HTTP3Offer.init)) { (all) throws(HTTPError) in try file.write(all.map(\.record)) }
    }
}

extension HTTP3Offer {
    /// The offer in the file. The time is in seconds since 1970.
    fileprivate var record: JSON { ["origin": JSON(name), "expires": JSON(expires.timeIntervalSince1970)] }

    fileprivate init?(_ record: JSON) {
        guard let text = record["origin"].string, let origin = try? Origin(ofURL: text), origin.scheme == "https",
            let expires = record["expires"].double
        else { return nil }
        self.init(name: "\(origin)", expires: Date(timeIntervalSince1970: expires))
    }
}
