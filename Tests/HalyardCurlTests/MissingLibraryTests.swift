import CHalyardCurl
import HalyardCurl
import HalyardHTTP
import Testing

/// The errors if libcurl is missing or too old.
struct MissingLibraryTests {
    @Test func `the error in a program that loads libraries says what to install`() {
        let error = CurlLibrary.unavailable(because: "no such file")
        #expect(error == HTTPError(.engineUnavailable))
        #expect(error.description.contains("apt-get install libcurl4") && error.description.contains("no such file"))
        #expect(!halyard_is_statically_linked())
    }

    @Test func `the error in a static program says how to link libcurl, not to install it`() {
        let error = CurlLibrary.unavailable(because: "Dynamic loading not supported", isStatic: true)
        #expect(error == HTTPError(.engineUnavailable))
        #expect(error.description.contains("LinkedCurl") && !error.description.contains("install"))
    }
}
