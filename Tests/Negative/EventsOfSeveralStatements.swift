func eventsOfSeveralStatements() async throws {
    // error: generic parameter 'T' could not be inferred
    let names = api.request(.me).events { event in
        if event.name == "ping" { return nil }
        return event.name
    }
    for try await name in names { print(name) }
}
