import HalyardCodable

/// A route that is being filled with the values of a call.
struct Draft: Sendable {
    private let template: PathTemplate
    private var base: Route
    private var path: [String: ParameterValue] = [:]
    /// The fields and parts as a form, in the order of the arguments, and the fields as parameters.
    private var form: [MultipartPart] = []
    private var fields = Parameters()
    private var hasParts = false
    var body: RouteBody?
    var endpointOptions = Route.EndpointOptions()

    init(_ template: PathTemplate, _ base: Route, declarationError: HTTPError?) {
        self.template = template
        self.base = base
        endpointOptions.error = declarationError
    }

    mutating func fill(_ placeholder: String, _ value: ParameterValue) { path[placeholder] = value }

    mutating func addField(_ value: ParameterValue, _ name: String) {
        fields.append(value, for: name)
        form.append(.value(value, name: name))
    }

    mutating func addParts(_ parts: [MultipartPart]) {
        form += parts
        hasParts = hasParts || !parts.isEmpty
    }

    mutating func fail(with error: HTTPError) { endpointOptions.error = endpointOptions.error ?? error }

    /// Sets a header field. A name or value that is not valid fails the request. Throws ``HTTPError`` of kind
    /// `encoding` for a value that is not a single one.
    mutating func setHeader(_ name: String, _ value: ParameterValue) throws(HTTPError) {
        guard value.storage != .omitted else { return }
        guard let text = value.text else {
            throw HTTPError(.encoding(name), reason: "a header field is a single value")
        }
        base.headers[name] = text
    }

    func route(stub: (@Sendable () throws -> StubResponse)?) -> Route {
        var (route, endpointOptions) = (base, endpointOptions)
        do throws(HTTPError) {
            route.target = .path(try template.path(path))
        } catch { endpointOptions.error = endpointOptions.error ?? error }
        addFields(to: &route, &endpointOptions)
        if endpointOptions.error != nil { endpointOptions.declaration = "\(base.method) \(template.text)" }
        endpointOptions.stub = stub
        route.endpointOptions = endpointOptions
        return route
    }

    /// Sends the form if there is a part. Otherwise fields are parameters.
    private func addFields(to route: inout Route, _ endpointOptions: inout Route.EndpointOptions) {
        route.body = body
        if hasParts || route.encoding?.place == .multipart {
            route.multipart = form
        } else if !fields.isEmpty {
            // The route's own parameters then go to the query: the fields of a body are declared as such.
            for item in route.params.items { endpointOptions.query.append(item.value, for: item.name) }
            route.params = fields
            endpointOptions.hasFields = true
        }
    }
}
