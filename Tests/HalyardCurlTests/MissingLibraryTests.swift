import CHalyardCurl
import HalyardCurl
import HalyardHTTP
import Testing

/// The errors if libcurl is missing or too old.
struct MissingLibraryTests {
    @Test func `a program that loads libraries is told what to install`() {
        let error = CurlLibrary.unavailable(because: "no such file")
        #expect(error == HTTPError(.engineUnavailable))
        #expect(error.description.contains("apt-get install libcurl4") && error.description.contains("no such file"))
        #expect(!halyard_is_statically_linked())
    }

    @Test func `a static program is told how to link it, and not to install what it cannot load`() {
        let error = CurlLibrary.unavailable(because: "Dynamic loading not supported", isStatic: true)
        #expect(error == HTTPError(.engineUnavailable))
        #expect(error.description.contains("LinkedCurl") && !error.description.contains("install"))
    }
}
