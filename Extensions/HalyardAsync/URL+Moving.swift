import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

extension URL {
    /// Moves a file into a folder under a name, or where that is taken under the next one: `name 2.txt`.
    func moved(into folder: URL, as name: String) throws(HTTPError) -> URL {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var count = 1
        while true {
            let numbered = count == 1 ? name : "\(name[..<dot]) \(count)\(name[dot...])"
            let target = folder.appending(path: numbered)
            // A link fails where there is a file already, which a rename would replace.
            if link(path(percentEncoded: false), target.path(percentEncoded: false)) == 0 {
                unlink(path(percentEncoded: false))
                return target
            }
            guard errno == EEXIST, count < 10_000 else {
                throw HTTPError(.unwritableFile(target.path(percentEncoded: false)), reason: systemReason())
            }
            count += 1
        }
    }
}
