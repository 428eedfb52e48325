import HalyardSystem

/// Opens a stream socket of an address family. Only in glibc, the socket type is an enumeration.
package func openStreamSocket(_ family: CInt) -> CInt {
    #if canImport(Glibc)
        socket(family, CInt(SOCK_STREAM.rawValue), 0)
    #else
        socket(family, SOCK_STREAM, 0)
    #endif
}

/// Opens two connected stream sockets. Returns `nil` if the system cannot create them.
package func openSocketPair() -> (CInt, CInt)? {
    var pair: [CInt] = [0, 0]
    #if canImport(Glibc)
        let code = socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair)
    #else
        let code = socketpair(AF_UNIX, SOCK_STREAM, 0, &pair)
    #endif
    return code == 0 ? (pair[0], pair[1]) : nil
}
