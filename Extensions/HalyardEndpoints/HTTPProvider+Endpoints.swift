public import HalyardAsync
import HalyardFoundation

extension HTTPProvider {
    /// Makes a request for an endpoint whose arguments are all given. The first observer starts it.
    public func request<Output>(_ endpoint: Endpoint<Void, Output>) -> Request { request(endpoint.route(())) }

    /// Builds the request for an endpoint whose arguments are all given, and sends nothing. See `prepare(_:)` of a
    /// route.
    ///
    /// ```swift
    /// print(try api.prepare(People.find("42")).curlCommand())
    /// ```
    ///
    /// - Throws: ``HTTPError`` for values that cannot be sent as they are, or the endpoint's
    ///   ``Endpoint/declarationError``.
    public func prepare<Output>(_ endpoint: Endpoint<Void, Output>) throws -> HTTPRequest {
        try prepare(endpoint.route(()))
    }

    /// Sends an endpoint whose arguments are all given, and returns its result. Cancelling the task cancels the
    /// request.
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

    /// Makes a call of an endpoint whose arguments are all given. It starts nothing.
    public func call<Output>(_ endpoint: Endpoint<Void, Output>) -> Call<Output> { Call(endpoint, of: self) }
}

// Endpoints whose responses are streams or pages. The type of one element is the endpoint's result.
extension HTTPProvider {
    /// The values in the server-sent events of an endpoint's response. See `Request/events(of:until:)`.
    ///
    /// ```swift
    /// static let chat = Endpoint(.post, "/chat", .json(Prompt.self), returning: Delta.self)
    ///
    /// for try await delta in api.events(Chats.chat(prompt), until: "[DONE]") { show(delta) }
    /// for try await price in api.events(Prices.watch).reconnecting() { show(price) }
    /// ```
    ///
    /// The events themselves, with their IDs and names, are in `api.request(endpoint).events`.
    ///
    /// - Parameter terminator: The data of the event that ends the sequence.
    public func events<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, T>, until terminator: String? = nil
    ) -> ResponseEvents<T> {
        request(endpoint).events(of: T.self, until: terminator)
    }

    /// The values of an endpoint's response that has one JSON text in each line. See
    /// `Request/lines(of:limit:onInvalid:)`.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of a line.
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Defaults to `nil`: the
    ///     loop then ends with the error.
    public func lines<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, T>, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseSequence<T> {
        request(endpoint).lines(of: T.self, limit: limit, onInvalid: onInvalid)
    }

    /// The elements of a JSON array in an endpoint's response as they arrive. See `Request/elements(of:at:limit:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the array in the JSON. Defaults to the endpoint's, see ``Endpoint/keyPath``.
    ///   - limit: The maximum number of bytes of an element.
    public func elements<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, [T]>, at keyPath: String? = nil, limit: Int = 16 << 20
    ) -> ResponseSequence<T> {
        request(endpoint).elements(of: T.self, at: keyPath ?? endpoint.keyPath, limit: limit)
    }

    /// The pages of an endpoint's list, one request after the other. See `HTTPProvider/pages(_:by:from:)`.
    ///
    /// - Parameters:
    ///   - paging: How the list is divided. Items are counted at the endpoint's ``Endpoint/keyPath``, unless `items:` of
    ///     the paging names another place.
    ///   - cursor: The place to begin. Defaults to the first page.
    public func pages<Output>(
        _ endpoint: Endpoint<Void, Output>, by paging: Paging, from cursor: PageCursor? = nil
    ) -> ResponsePages {
        pages(endpoint.route(()), by: paging.countingItems(at: endpoint.keyPath), from: cursor)
    }

    /// The items of all pages of an endpoint's list.
    ///
    /// ```swift
    /// static let all = Endpoint(.get, "/issues", returning: [Issue].self)
    ///
    /// for try await issue in api.items(Issues.all, by: .link) { show(issue) }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The path of the array of items in each page. Defaults to the endpoint's, see ``Endpoint/keyPath``.
    ///   - paging: How the list is divided. Items are counted at the key path, unless `items:` of the paging names another
    ///     place.
    ///   - cursor: The place to begin. Defaults to the first page.
    public func items<T: Decodable & Sendable>(
        _ endpoint: Endpoint<Void, [T]>, at keyPath: String? = nil, by paging: Paging,
        from cursor: PageCursor? = nil
    ) -> ResponseSequence<T> {
        let keyPath = keyPath ?? endpoint.keyPath
        return pages(endpoint, by: paging.countingItems(at: keyPath), from: cursor).items(of: T.self, at: keyPath)
    }
}
