// A stub of Apple's Network, with the declarations that the sources need.
import Dispatch

public struct NWPath: Sendable {}

public final class NWPathMonitor: @unchecked Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
