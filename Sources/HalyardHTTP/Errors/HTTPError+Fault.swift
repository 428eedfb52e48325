public import HalyardFoundation

// The one boundary between faults and errors. Every throwing member that a layer above calls is declared here, and
// throws an `HTTPError`; the member of the layer below that it calls throws a `Fault`.

extension HTTPError {
    /// Makes an error of a fault.
    package init(_ fault: Fault, request: HTTPRequest? = nil) {
        self.init(
            fault.kind, reason: fault.reason, suggestion: fault.suggestion, request: request,
            cause: fault.cause.map(HTTPError.converted))
    }

    /// The error as users see it: a fault as an ``HTTPError``, any other error unchanged.
    package static func converted(_ error: any Error) -> any Error { (error as? Fault).map { HTTPError($0) } ?? error }
}

extension HTTPMethod {
    /// Makes a method of any name.
    ///
    /// - Parameter name: An RFC 9110 token: one or more letters, digits and certain punctuation characters. A space or
    ///   a line break would forge a request line.
    /// - Throws: ``HTTPError`` of kind `invalidMethod` when `name` is empty or not a token.
    public init(_ name: String) throws(HTTPError) {
        do throws(Fault) { try self.init(checking: name) } catch { throw HTTPError(error) }
    }
}

extension HTTPHeaders.Name {
    /// Makes a name.
    ///
    /// - Parameter rawValue: An RFC 9110 token; a space, a colon, a line break or a letter outside ASCII is not
    ///   allowed.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` when `rawValue` is empty or not a token.
    public init(_ rawValue: String) throws(HTTPError) {
        do throws(Fault) { try self.init(checking: rawValue) } catch { throw HTTPError(error) }
    }
}

extension HTTPHeaders.Field {
    /// Makes a field of any name.
    ///
    /// - Parameters:
    ///   - name: An RFC 9110 token.
    ///   - value: Any text without control characters. Blanks at its ends are removed.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` when name or value break these rules.
    public init(_ name: String, _ value: String) throws(HTTPError) {
        do throws(Fault) { try self.init(checking: name, value) } catch { throw HTTPError(error) }
    }

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: Any text without control characters. Blanks at its ends are removed.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` when the value holds a control character.
    public init(_ name: HTTPHeaders.Name, _ value: String) throws(HTTPError) {
        do throws(Fault) { try self.init(checking: name, value) } catch { throw HTTPError(error) }
    }

    /// Makes a field of the bytes of a header line: the value is UTF-8, or ISO-8859-1 where it is not valid UTF-8.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader`.
    package init(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
        do throws(Fault) { try self.init(checking: name, value) } catch { throw HTTPError(error) }
    }
}

extension HTTPHeaders {
    /// Appends a field. Existing fields of the same name are kept.
    ///
    /// - Parameters:
    ///   - value: Any text without control characters. Blanks at its ends are removed.
    ///   - name: An RFC 9110 token.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` when name or value break these rules; nothing is added then.
    public mutating func append(_ value: String, for name: String) throws(HTTPError) {
        do throws(Fault) { try append(checking: value, for: name) } catch { throw HTTPError(error) }
    }

    /// Appends a field with a well-known name. Existing fields of the same name are kept.
    ///
    /// - Parameters:
    ///   - value: Any text without control characters. Blanks at its ends are removed.
    ///   - name: The name.
    /// - Throws: ``HTTPError`` of kind `invalidHeader` when the value breaks this rule; nothing is added then.
    public mutating func append(_ value: String, for name: Name) throws(HTTPError) {
        try append(value, for: name.rawValue)
    }

    /// Adds a continuation line to the value of the last field (obsolete line folding, RFC 9112 section 5.2).
    ///
    /// - Returns: `false` when there is no field.
    /// - Throws: ``HTTPError`` of kind `invalidHeader`.
    package mutating func continueLast(_ more: UnsafeBufferPointer<UInt8>) throws(HTTPError) -> Bool {
        do throws(Fault) { return try appendToLast(more) } catch { throw HTTPError(error) }
    }
}

extension Origin {
    /// Reads the origin of an absolute URL, for example to compare it with that of a request.
    ///
    /// ```swift
    /// let home = try Origin(api.baseURL)
    /// if request.origin == home { request.headers["X-Signature"] = signature }
    /// ```
    ///
    /// - Parameter url: An absolute http or https URL.
    /// - Throws: ``HTTPError`` of kind `invalidURL` when `url` is not an absolute http or https URL, holds credentials,
    ///   or could be read in two ways.
    public init(_ url: URL) throws(HTTPError) { try self.init(ofURL: url.absoluteString) }

    /// Reads the origin of an absolute URL. See ``Origin/init(reading:)``.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidURL`.
    package init(ofURL url: String) throws(HTTPError) {
        do throws(Fault) { try self.init(reading: url) } catch { throw HTTPError(error) }
    }
}

extension BaseURL {
    /// Reads a base URL.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidURL`.
    package convenience init(_ text: String) throws(HTTPError) {
        do throws(Fault) { try self.init(reading: text) } catch { throw HTTPError(error) }
    }
}

extension HTTPBody {
    /// Makes a body of a file's content. The file is opened and measured now, and read while it is sent.
    ///
    /// A file that changes while it is sent ends the request with ``HTTPError`` of kind `unreadableFile`.
    ///
    /// - Parameter file: The URL of a regular file.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` when the file is missing, may not be read, or is not a regular
    ///   file.
    public init(file: URL) throws(HTTPError) {
        do throws(Fault) { try self.init(opening: file) } catch { throw HTTPError(error) }
    }

    /// Returns the whole body in memory: for a signature, a recording, or a stub.
    ///
    /// A body with a stream can be read once. To send it after this call, make another one: `HTTPBody(data)`.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` or `bodyConsumed`, or what a stream throws.
    public func data() async throws -> Data {
        do { return try await collected() } catch { throw HTTPError.converted(error) }
    }
}

extension HTTPRequest {
    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: An absolute http or https URL.
    ///   - headers: The header fields. Defaults to none.
    ///   - body: The body. Defaults to none.
    ///   - destination: Where the response's body goes. Defaults to memory, up to 64 MiB.
    /// - Throws: ``HTTPError`` of kind `invalidURL` when `url` is not an absolute http or https URL, holds credentials,
    ///   or could be read in two ways.
    public init(
        _ method: HTTPMethod,
        _ url: URL,
        headers: HTTPHeaders = [:],
        body: HTTPBody? = nil,
        destination: Destination = .memory()
    ) throws(HTTPError) {
        let address = AbsoluteURL(url)
        self.init(
            method, address, of: try Origin(ofURL: address.text), headers: headers, body: body,
            destination: destination)
    }

    /// Changes the URL.
    ///
    /// - Parameter url: An absolute http or https URL.
    /// - Throws: ``HTTPError`` of kind `invalidURL`; the request is unchanged then.
    public mutating func setURL(_ url: URL) throws(HTTPError) {
        let address = AbsoluteURL(url)
        move(to: address, of: try Origin(ofURL: address.text))
    }

    /// Checks the header fields and the body's length. Every transport calls it before it sends a request.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a field that was rejected when it was set, for a field that
    ///   frames the message, which is the engine's to set, and for a second `Host`; of kind `encoding` for a body whose
    ///   length is negative or beyond 2^63 - 1 bytes.
    public func checkHeaders() throws(HTTPError) {
        do throws(Fault) { try checkFraming() } catch { throw HTTPError(error, request: self) }
    }
}

extension FileSource {
    /// Opens a file for reading.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile`.
    package convenience init(_ url: URL) throws(HTTPError) {
        do throws(Fault) { try self.init(opening: url) } catch { throw HTTPError(error) }
    }

    /// Returns the content of a file; `nil` if there is no file.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile`. A file that cannot be found because a folder cannot be searched
    ///   is one as well.
    package static func read(_ url: URL) throws(HTTPError) -> Data? {
        do throws(Fault) { return try content(of: url) } catch { throw HTTPError(error) }
    }
}

extension URL {
    /// Makes the folder of a file, with the folders above it that are missing.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package func makeFolder() throws(HTTPError) {
        do throws(Fault) { try makeFolderOfFile() } catch { throw HTTPError(error) }
    }
}

extension DownloadFile {
    /// Appends bytes.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) {
        do throws(Fault) { try append(bytes) } catch { throw HTTPError(error) }
    }

    /// Renames the file to ``target`` and replaces a file that is there. Later calls do nothing.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package func commit() throws(HTTPError) {
        do throws(Fault) { try moveIntoPlace() } catch { throw HTTPError(error) }
    }
}

extension AtomicFile {
    /// Opens a temporary file beside `target`. See ``AtomicFile/init(at:prefix:isPrivate:permit:isPatient:)``.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package convenience init(
        _ target: URL, prefix: String = ".halyard-", isPrivate: Bool = false, isPatient: Bool = false
    ) throws(HTTPError) {
        do throws(Fault) {
            try self.init(at: target, prefix: prefix, isPrivate: isPrivate, isPatient: isPatient)
        } catch {
            throw HTTPError(error)
        }
    }

    /// Renames the file to ``target`` and replaces a file that is there. Later calls do nothing.
    ///
    /// - Parameter isDurable: Whether the file is flushed to the disk first, so that a crash leaves the old or the new
    ///   file.
    /// - Throws: ``HTTPError`` of kind `unwritableFile`.
    package func commit(isDurable: Bool) throws(HTTPError) {
        do throws(Fault) { try moveIntoPlace(isDurable: isDurable) } catch { throw HTTPError(error) }
    }
}
