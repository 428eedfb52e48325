func stringForAnInvocationWithHandler(_ path: String) {
    // error: 'invoke(_:_:arguments:encoding:content:resultHandler:)' is unavailable: say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal
    api.invoke(.get, path) { (result: Result<[String], any Error>) in print(result) }
}
