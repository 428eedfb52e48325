// A stub of Apple's os, with the declarations that the sources need.
public enum OSLogType: Sendable { case `default`, debug, error, info, fault }

public struct OSLogPrivacy: Sendable {
    public static let `public` = OSLogPrivacy()
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation(_ text: @autoclosure () -> String, privacy: OSLogPrivacy) {}
    }
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}
}

public struct Logger: Sendable {
    public init(subsystem: String, category: String) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
}
