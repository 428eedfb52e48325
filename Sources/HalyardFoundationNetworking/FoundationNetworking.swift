// Foundation with URLSession, which is a module of its own on Linux. See HalyardFoundation for the access level of an
// import.

#if canImport(FoundationNetworking)
    @_exported public import Foundation
    @_exported public import FoundationNetworking
#else
    @_exported public import Foundation
#endif
