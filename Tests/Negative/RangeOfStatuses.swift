func rangeOfStatuses() async throws {
    do {
        _ = try await api.request(.me).json()
        // error: cannot convert value of type 'ClosedRange<Int>' to expected argument type 'Int'
    } catch HTTPError.status(400...499) {}
}
