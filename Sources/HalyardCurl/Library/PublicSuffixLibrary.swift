import CHalyardCurl

/// libpsl, which contains the list of public suffixes. It is loaded once per process when it is first used. Most builds
/// of libcurl depend on libpsl, so it is usually installed.
package enum PublicSuffixLibrary {
    private static let loadError: String? = halyard_psl_load("libpsl.so.5").map { String(cString: $0) }

    /// Whether this machine has libpsl.
    package static var isAvailable: Bool { loadError == nil }

    /// Returns whether a name is a public suffix, under which anybody can register a domain.
    ///
    /// Call it only if ``isAvailable`` is `true`.
    package static func contains(_ name: String) -> Bool { halyard_psl_is_public_suffix(name) }
}
