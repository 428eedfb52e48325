func stringForAPath(_ path: String) -> Route {
    // error: 'init(path:method:params:headers:encoding:body:multipart:)' is unavailable: say what the string is: RoutePath(escaping:) data, RoutePath(verbatim:) as in a literal, or Route(url:)
    Route(path: path)
}
