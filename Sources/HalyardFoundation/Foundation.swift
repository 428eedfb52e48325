// The part of Foundation that Halyard uses. Programs on Linux then link FoundationEssentials only, which is a tenth of
// Foundation's size.
//
// A file imports this module with the access level that its declarations need: `public import HalyardFoundation` for
// public signatures with `Data`, `URL` or `Date`. Users import Foundation or FoundationEssentials themselves.

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
