import HalyardHTTP

/// The directives of `Cache-Control` (RFC 9111 section 5.2).
struct CacheControl: Sendable, Equatable {
    private enum Argument: Sendable, Equatable {
        case none
        case text(String)
        case malformed
    }

    private var directives: [(name: String, argument: Argument)] = []

    static func == (left: Self, right: Self) -> Bool {
        left.directives.elementsEqual(right.directives) { $0 == $1 }
    }

    init() {}

    /// Reads the directives of all fields of a message. Text that is no directive is skipped.
    init(_ headers: HTTPHeaders) {
        for field in headers where field.name.rawValue.equalsIgnoringASCIICase("Cache-Control") {
            read(field.value)
        }
    }

    /// The largest number of seconds: larger ones mean the same (RFC 9111 section 1.2.2).
    static let maximum = Int(clamping: Int64(1) << 31)

    func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Whether there is a directive of a name that names no fields: `no-cache`, but not `no-cache="Set-Cookie"`.
    func isUnqualified(_ name: String) -> Bool { directives.contains { $0.name == name && $0.argument == .none } }

    /// Returns the seconds of a directive. Of several, the shortest time counts.
    ///
    /// - Returns: The seconds, at most ``maximum``. 0 for an argument that is no number. `nil` without the directive.
    func seconds(_ name: String) -> Int? {
        var shortest: Int?
        for directive in directives where directive.name == name {
            var seconds = 0
            if case .text(let text) = directive.argument { seconds = Self.seconds(text) ?? 0 }
            shortest = min(shortest ?? seconds, seconds)
        }
        return shortest
    }

    /// Reads `delta-seconds`. `nil` for any other text.
    static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCIISet.digits.contains) else { return nil }
        return min(Int(text) ?? maximum, maximum)
    }

    private mutating func read(_ value: String) {
        var rest = value.utf8[...]
        while true {
            rest = rest.drop { $0.isBlank || $0 == Self.comma }
            guard !rest.isEmpty else { return }
            let name = Substring(rest.prefix { ASCIISet.token.contains($0) }).lowercased()
            rest = rest.dropFirst(name.utf8.count)
            var argument = Argument.none
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                argument = Self.popQuotedArgument(&rest) ?? Self.popPlainArgument(&rest)
            }
            // What follows a directive up to the comma is malformed, as in `max-age =1`.
            let excess = rest.prefix { $0 != Self.comma }
            rest = rest[excess.endIndex...]
            if !excess.allSatisfy(\.isBlank) { argument = .malformed }
            if !name.isEmpty { directives.append((name, argument)) }
        }
    }

    /// Removes a quoted argument. It must end with a quote before a comma or the end of the field: otherwise one quote
    /// too many would hide the directives that follow it, `no-store` for example.
    private static func popQuotedArgument(_ rest: inout Substring.UTF8View) -> Argument? {
        var end = rest
        guard let text = end.popQuotedString(mayLackEnd: false), end.first(where: { !$0.isBlank }) ?? comma == comma
        else { return nil }
        rest = end
        return .text(text)
    }

    /// Removes an argument without quotes. A space or another character that a token does not have makes it malformed.
    private static func popPlainArgument(_ rest: inout Substring.UTF8View) -> Argument {
        let text = rest.prefix { $0 != comma }
        rest = rest[text.endIndex...]
        let token = text.trimmingBlanks
        let isToken = text.first == token.first && token.allSatisfy(ASCIISet.token.contains)
        return isToken ? .text(String(Substring(token))) : .malformed
    }

    private static let comma = UInt8(ascii: ",")
}
