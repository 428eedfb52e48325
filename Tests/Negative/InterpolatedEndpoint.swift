func interpolatedEndpoint(_ id: String) -> Endpoint<Void, Void> {
    // error: cannot convert value of type 'String' to expected argument type 'StaticString'
    Endpoint(.get, "/users/\(id)")
}
