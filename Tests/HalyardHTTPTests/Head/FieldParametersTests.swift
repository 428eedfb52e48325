import HalyardHTTP
import Testing

/// Parameters after the first semicolon of a field value.
struct FieldParametersTests {
    @Test(arguments: [
        ("text/html; x=1; X=2", "1"), (#"a;x="b;\"c";y"#, "b;\"c"), ("a; x = 1 ; y", "1"), ("a; y; x=1", "1"),
        (#"a; y="x=1"; x=2"#, "2"), ("a; x=", ""), (#"a; x="1"#, "1"), (#"a; x="1" 2; x=3"#, "1"), (";x=1", "1"),
        ("x=1", nil), ("a; x", nil), ("a;", nil), ("", nil),
    ])
    func `a parameter is found by its name in any case, with or without quotes`(_ field: String, _ value: String?) {
        #expect(FieldParameters(field)["x"] == value)
    }
}
