import HalyardSystem

/// The routes of the system, by which it sends packets.
package enum NetworkRoute {
    /// Whether the system has a route to an origin: to its address, or to the Internet if the host is a name. Nothing is
    /// sent.
    ///
    /// A machine without a network has only the route to itself. Virtual interfaces, such as those of containers, may
    /// be up nevertheless, so that their state says little.
    package static func exists(to origin: Origin) -> Bool {
        if origin.isLoopback { return true }
        let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
        if let address = ipAddress(host) { return exists(to: address) }
        // Addresses that only a default route includes (RFC 5737, RFC 3849).
        return ["192.0.2.1", "2001:db8::1"].compactMap(ipAddress).contains(where: exists)
    }

    /// Asks the system by connecting a datagram socket, which only selects a route.
    private static func exists(to address: [UInt8]) -> Bool {
        let family = address.count == 4 ? AF_INET : AF_INET6
        let descriptor = socket(family, datagram, 0)
        // Without a free descriptor nothing is known.
        guard descriptor >= 0 else { return errno != EAFNOSUPPORT }
        defer { close(descriptor) }
        guard family == AF_INET else {
            var target = sockaddr_in6()
            (target.sin6_family, target.sin6_port) = (sa_family_t(family), in_port_t(9).bigEndian)
            withUnsafeMutableBytes(of: &target.sin6_addr) { $0.copyBytes(from: address) }
            return selectsRoute(descriptor, to: &target)
        }
        var target = sockaddr_in()
        (target.sin_family, target.sin_port) = (sa_family_t(family), in_port_t(9).bigEndian)
        withUnsafeMutableBytes(of: &target.sin_addr) { $0.copyBytes(from: address) }
        return selectsRoute(descriptor, to: &target)
    }

    private static func selectsRoute<Socket>(_ descriptor: CInt, to address: inout Socket) -> Bool {
        let size = socklen_t(MemoryLayout<Socket>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
        }
    }

    // With the flag that keeps child programs from inheriting it; Darwin has none.
    #if canImport(Glibc)
        static let datagram = CInt(SOCK_DGRAM.rawValue) | O_CLOEXEC
    #elseif canImport(Darwin)
        static let datagram: CInt = SOCK_DGRAM
    #else
        static let datagram: CInt = SOCK_DGRAM | O_CLOEXEC
    #endif
}
