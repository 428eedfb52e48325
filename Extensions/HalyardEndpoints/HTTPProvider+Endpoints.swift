public import HalyardAsync
import HalyardFoundation

extension HTTPProvider {
    /// Creates a request for an endpoint that has all its arguments. The first observer starts it.
    public func request<Output>(_ endpoint: Endpoint<Void, Output>) -> Request { request(endpoint.route(())) }

    /// Builds the request for an endpoint that has all its arguments, and sends nothing. See `prepare(_:)` for a route.
    ///
    /// ```swift
    /// print(try api.prepare(People.find("42")).curlCommand())
    /// ```
    ///
    /// - Throws: ``HTTPError`` if a value cannot be sent as it is, or the endpoint's ``Endpoint/declarationError``.
    public func prepare<Output>(_ endpoint: Endpoint<Void, Output>) throws -> HTTPRequest {
        try prepare(endpoint.route(()))
    }

    /// Sends an endpoint that has all its arguments, and returns its result. Cancelling the task cancels the request.
    ///
    /// ```swift
    /// let me = try await api.send(.me)
    /// let patched = try await api.send(People.patch(me, "42", nil))
    /// ```
    ///
    /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
    @discardableResult
    public func send<Output>(_ endpoint: Endpoint<Void, Output>) async throws -> Output {
        try await request(endpoint.route(())).value(endpoint.serializer)
    }

    /// Creates a call of an endpoint that has all its arguments, without starting it.
    public func call<Output>(_ endpoint: Endpoint<Void, Output>) -> Call<Output> { Call(endpoint, of: self) }
}

// Endpoints whose responses are streams or pages. The type of one element is the endpoint's result.
extension HTTPProvider {
    /// Returns the values in the server-sent events of an endpoint's response. See `Request/events(of:until:)`.
    ///
    /// ```swift
    /// static let chat = Endpoint(.post, "/chat", .json(Prompt.self), returning: Delta.self)
    ///
    /// for try await delta in api.events(Chats.chat(prompt), until: "[DONE]") { show(delta) }
    /// for try await price in api.events(Prices.watch).reconnecting() { show(price) }
    /// ```
    ///
    /// For the events themselves, with their IDs and names, use `api.request(endpoint).events`.
    ///
    /// - Parameter terminator: The data of the event that ends the sequence.
    public func events<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, T>, until terminator: String? = nil
    ) -> ResponseEvents<T> {
        request(endpoint).events(of: T.self, until: terminator)
    }

    /// Returns the values of an endpoint's response that has one JSON text on each line. See
    /// `Request/lines(of:limit:onInvalid:)`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes in a line.
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Defaults to `nil`, which
    ///     means that the loop ends with the error.
    public func lines<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, T>, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseSequence<T> {
        request(endpoint).lines(of: T.self, limit: limit, onInvalid: onInvalid)
    }

    /// Returns the elements of a JSON array in an endpoint's response as they arrive. See
    /// `Request/elements(of:at:limit:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the array in the JSON. Defaults to the endpoint's ``Endpoint/keyPath``.
    ///   - limit: The maximum number of bytes in an element.
    public func elements<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, [T]>, at keyPath: String? = nil, limit: Int = 16 << 20
    ) -> ResponseSequence<T> {
        request(endpoint).elements(of: T.self, at: keyPath ?? endpoint.keyPath, limit: limit)
    }

    /// Returns the pages of an endpoint's list, which are requested one after the other. See
    /// `HTTPProvider/pages(_:by:from:)`.
    ///
    /// - Parameters:
    ///   - paging: How the list is divided into pages. Items are counted at the endpoint's ``Endpoint/keyPath`` if
    ///     `items:` of the paging does not name another place.
    ///   - cursor: Where to begin. Defaults to the first page.
    public func pages<Output>(
        _ endpoint: Endpoint<Void, Output>, by paging: Paging, from cursor: PageCursor? = nil
    ) -> ResponsePages {
        pages(endpoint.route(()), by: paging.countingItems(at: endpoint.keyPath), from: cursor)
    }

    /// Returns the items of all pages of an endpoint's list.
    ///
    /// ```swift
    /// static let all = Endpoint(.get, "/issues", returning: [Issue].self)
    ///
    /// for try await issue in api.items(Issues.all, by: .link) { show(issue) }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The path of the array of items in each page. Defaults to the endpoint's ``Endpoint/keyPath``.
    ///   - paging: How the list is divided into pages. Items are counted at the key path if `items:` of the paging does
    ///     not name another place.
    ///   - cursor: Where to begin. Defaults to the first page.
    public func items<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, [T]>, at keyPath: String? = nil, by paging: Paging,
        from cursor: PageCursor? = nil
    ) -> ResponseSequence<T> {
        let keyPath = keyPath ?? endpoint.keyPath
        return pages(endpoint, by: paging.countingItems(at: keyPath), from: cursor).items(of: T.self, at: keyPath)
    }
}
