import CHalyardCurl

/// libpsl: the list of public suffixes that most libcurls bring along, found on the machine when it is first needed.
package enum SuffixLibrary {
    private static let flaw: String? = halyard_suffixes_load("libpsl.so.5").map { String(cString: $0) }

    /// Whether this machine has it.
    package static var isAvailable: Bool { flaw == nil }

    /// Whether anybody can have a domain under a name, in lower case and ASCII. Only where it is available.
    package static func contains(_ name: String) -> Bool { halyard_suffixes_contain(name) }
}
