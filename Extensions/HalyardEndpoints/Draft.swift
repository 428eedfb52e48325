import HalyardCodable

/// A route while the values of a call are filled in.
struct Draft: Sendable {
    /// What a multipart form or another body is made of, in the order of the arguments.
    enum Piece: Sendable {
        case field(String, ParameterValue)
        case part(Multipart.Part)
    }

    private let template: PathTemplate
    private var base: Route
    private var path: [String: ParameterValue] = [:]
    var pieces: [Piece] = []
    var body: RouteBody?
    var extras = Route.Extras()

    /// - Parameter base: what every call has: method, headers, encoding.
    init(_ template: PathTemplate, _ base: Route, flaw: HTTPError?) {
        self.template = template
        self.base = base
        extras.flaw = flaw
    }

    mutating func fill(_ placeholder: String, _ value: ParameterValue) { path[placeholder] = value }

    mutating func refuse(_ error: HTTPError) { extras.flaw = extras.flaw ?? error }

    /// - Throws: ``HTTPError`` of kind `encoding` for what is no single value. What is no header fails the request.
    mutating func setHeader(_ name: String, _ value: ParameterValue) throws(HTTPError) {
        guard value.storage != .absent else { return }
        guard let text = value.text else {
            throw HTTPError(.encoding(name), reason: "a header field is a single value")
        }
        base.headers[name] = text
    }

    /// The route of the call.
    func route(answer: (@Sendable (HTTPRequest, Codec) async throws -> HTTPResponse)?) -> Route {
        var (route, extras) = (base, extras)
        do throws(HTTPError) {
            route.target = .path(try template.path(path))
        } catch { extras.flaw = extras.flaw ?? error }
        place(in: &route, &extras)
        if extras.flaw != nil { extras.declaration = "\(base.method) \(template.text)" }
        extras.answer = answer
        route.extras = extras
        return route
    }

    /// Puts fields and parts into a form, in order, where there is a part; else fields are parameters.
    private func place(in route: inout Route, _ extras: inout Route.Extras) {
        route.body = body
        var (form, fields) = (Multipart(), Parameters())
        var isForm = route.encoding?.place == .multipart
        for piece in pieces {
            switch piece {
            case .field(let name, let value):
                fields.append(value, for: name)
                form.append(.field(value, name: name))
            case .part(let part):
                form.append(part)
                isForm = true
            }
        }
        if isForm {
            route.multipart = form
        } else if !fields.isEmpty {
            // Its own parameters are the query's then: a body has fields that were declared as such.
            for item in route.params.items { extras.query.append(item.value, for: item.name) }
            route.params = fields
            extras.hasFields = true
        }
    }
}
