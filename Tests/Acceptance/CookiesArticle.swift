import Foundation
import HalyardAsync

// The examples of the article on cookies, word for word: they compile, and none is run.

private func inMemory() {
    let jar = CookieJar()
    let client = HTTPClient(configuration: .init(cookies: jar))
    _ = client
}

private func inAFile(_ folder: URL) throws {
    let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
    if let error = jar.writeError { print("they are in memory alone: \(error)") }
}

private func inside(_ jar: CookieJar, _ url: URL) throws {
    print(jar.cookies(for: url).map(\.name), jar.cookies.count)
    try jar.set(Cookie("theme", "dark", domain: "example.com", isHostOnly: false))
    jar.removeAll { $0.domain == "example.com" }
    jar.endSession()  // removes cookies without an expiry time
}

private func suffixes(_ list: Set<String>) {
    let jar = CookieJar(suffixes: PublicSuffixes { list.contains($0) })
    _ = jar
}
