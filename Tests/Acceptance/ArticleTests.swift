import Foundation
import Testing

/// The examples of an article, and of the README, are parts of a file that compiles.
struct ArticleTests {
    @Test(arguments: [
        ("../../../README.md", "ReadmeFirstExample.swift", 4),
        ("Engines.md", "EnginesArticle.swift", 9), ("Endpoints.md", "EndpointsArticle.swift", 15),
        ("FormatsOfYourOwn.md", "EndpointsArticle.swift", 4), ("RetriesAndDeadlines.md", "WeatherArticles.swift", 5),
        ("Redirects.md", "WeatherArticles.swift", 2), ("Authenticating.md", "WeatherArticles.swift", 7),
        ("Models.md", "ModelsArticle.swift", 8),
        ("Logging.md", "LoggingArticle.swift", 8), ("KeepingCookies.md", "CookiesArticle.swift", 4),
        ("ComingFromMoya.md", "ComingFromMoyaArticle.swift", 8),
        ("ComingFromAlamofire.md", "ComingFromAlamofireArticle.swift", 9),
        ("ComingFromNikka.md", "ComingFromNikkaArticle.swift", 3),
        ("ComingFromKilo.md", "ComingFromKiloArticle.swift", 4),
        ("ComingFromRetrolux.md", "ComingFromRetroluxArticle.swift", 4),
        ("RoutesAndParameters.md", "RoutesArticle.swift", 3), ("Errors.md", "ErrorsArticle.swift", 4),
        ("UploadsWithProgress.md", "UploadsArticle.swift", 10), ("Downloads.md", "DownloadsArticle.swift", 5),
        ("Limits.md", "LimitsArticle.swift", 2), ("CertificatesAndPins.md", "CertificatesArticle.swift", 4),
        ("HTTP3.md", "HTTP3Article.swift", 4),
        ("Streaming.md", "StreamingArticle.swift", 13), ("ReadingPages.md", "StreamingArticle.swift", 7),
        ("FailuresOfAnAPI.md", "FailuresArticle.swift", 5), ("SigningAndSessions.md", "SigningArticle.swift", 10),
        ("SigningIn.md", "SigningInArticle.swift", 8),
        ("WorkingWithJSON.md", "WorkingWithJSONArticle.swift", 6),
        ("Recipes.md", "RecipesArticle.swift", 20),
        ("ReadingResponses.md", "ReadingResponsesArticle.swift", 8), ("Testing.md", "TestingArticle.swift", 12),
        ("Interceptors.md", "InterceptorsArticle.swift", 4), ("Caching.md", "CachingArticle.swift", 3),
        ("Tracing.md", "TracingArticle.swift", 7),
        ("Futures.md", "FuturesArticle.swift", 3), ("RequestLimits.md", "RequestLimitsArticle.swift", 6),
        ("WebSockets.md", "WebSocketsArticle.swift", 5),
        ("GeneratingAClient.md", "../OpenAPITests/LibraryArticle.swift", 3),
        ("SwiftOpenAPIGenerator.md", "OpenAPIRuntimeArticle.swift", 2),
    ])
    func `an article's examples compile`(article: String, file: String, count: Int) throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let catalogue = here.appending(path: "../../Sources/Halyard/Halyard.docc")
        let text = try String(contentsOf: catalogue.appending(path: article), encoding: .utf8)
        // The README's test is in the file that runs its examples.
        let files = article.contains("README") ? [file, "ReadmeTests.swift"] : [file]
        let code = unindented(
            try files.map { try String(contentsOf: here.appending(path: $0), encoding: .utf8) }.joined())
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == count)
        for block in blocks { #expect(code.contains(unindented(block)), "\(block)") }
    }

    /// The lines without their indentation, which is different inside a function.
    private func unindented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
            .joined(separator: "\n")
    }
}
