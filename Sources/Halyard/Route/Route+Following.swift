import HalyardHTTP

extension Route {
    /// A route whose response has named the URL of another route. It is a class, because a route cannot contain one.
    package final class Source: Sendable {
        let route: Route

        fileprivate init(_ route: Route) { self.route = route }
    }

    /// Returns the route to a URL that a response to this route has named, such as the next page of a list.
    ///
    /// It is a GET with the header fields and options of this route. Its URL has all parameters. At another origin than
    /// this route's, the request has no secrets, as after a redirect; see ``SecretStripper``.
    package func following(_ url: String) -> Route {
        var route = self
        route.target = .absolute(url)
        route.method = .get
        (route.params, route.body, route.multipart, route.encoding) = ([:], nil, nil, nil)
        // The URL has the whole query.
        route.endpointOptions?.query = [:]
        route.endpointOptions?.hasFields = false
        route.source = Source(bodiless)
        return route
    }

    /// The same route without bodies, which may be readable only once.
    private var bodiless: Route {
        var route = self
        (route.body, route.multipart) = (nil, nil)
        if params.holdFile { route.params = [:] }
        return route
    }
}
