func stringForAnInvocationWithHandler(_ path: String) {
    // error: cannot convert value of type 'String' to expected argument type 'RoutePath'
    api.invoke(.get, path) { (result: Result<[String], any Error>) in print(result) }
}
