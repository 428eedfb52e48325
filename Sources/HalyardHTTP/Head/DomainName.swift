/// Writes the names of hosts in other scripts in ASCII, as browsers do (IDNA, UTS 46 without transitional processing):
/// `bücher.example` is `xn--bcher-kva.example`.
///
/// Names that need tables which the standard library lacks are refused, such as those with ligatures. Browsers read
/// those as other names.
package enum DomainName {
    /// Returns the name in lower case and ASCII. `nil` for a text that is no name.
    package static func ascii(_ host: String) -> String? {
        // A name has at most 253 characters, and the time grows with the square of the number of marks.
        guard host.utf8.count < 4096, let mapped = mapped(host) else { return nil }
        var labels: [String] = []
        for label in mapped.split(separator: ".", omittingEmptySubsequences: false) {
            guard let label = ascii(label: Array(label)) else { return nil }
            labels.append(label)
        }
        // Only a dot at the end has no label after it.
        return labels.dropLast().contains("") ? nil : labels.joined(separator: ".")
    }

    /// Maps scalars to lower case, to the plain forms of wide ones, and to composed characters. `nil` for a scalar that
    /// no name has.
    private static func mapped(_ host: String) -> [Unicode.Scalar]? {
        var scalars: [Unicode.Scalar] = []
        for scalar in host.unicodeScalars {
            switch scalar {
            case "\u{3002}", "\u{FF0E}", "\u{FF61}": scalars.append(".")
            case "\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}", "\u{FE00}"..."\u{FE0F}": continue
            case "\u{FF01}"..."\u{FF5E}":
                scalars +=
                    Unicode.Scalar(scalar.value - 0xFEE0).map { $0.properties.lowercaseMapping.unicodeScalars }
                    ?? "".unicodeScalars
            default: scalars += scalar.properties.lowercaseMapping.unicodeScalars
            }
        }
        return scalars.allSatisfy(isInNames) ? composed(scalars) : nil
    }

    private static func isInNames(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return ASCIISet.hostName.contains(UInt8(scalar.value)) }
        if scalar == "ß" || scalar == "ς" { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        default: return scalar != "\u{FFFC}" && scalar != "\u{FFFD}" && !scalar.properties.changesWhenNFKCCaseFolded
        }
    }

    private static func ascii(label: [Unicode.Scalar]) -> String? {
        if label.allSatisfy(\.isASCII) { return String(String.UnicodeScalarView(label)) }
        let category = label[0].properties.generalCategory
        guard ![.nonspacingMark, .spacingMark, .enclosingMark].contains(category),
            !label.starts(with: "xn--".unicodeScalars),
            let code = punycode(label), code.utf8.count <= 59
        else { return nil }
        return "xn--" + code
    }

    /// Encodes a label (RFC 3492 section 6.3). `nil` if a number is too large.
    private static func punycode(_ label: [Unicode.Scalar]) -> String? {
        guard label.count < 64 else { return nil }  // No sum overflows.
        let basic = label.filter(\.isASCII)
        var output = String(String.UnicodeScalarView(basic)) + (basic.isEmpty ? "" : "-")
        var (next, delta, bias, handled) = (128, 0, 72, basic.count)
        while handled < label.count {
            guard let smallest = label.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for value in label.lazy.map({ Int($0.value) }) {
                if value < next { delta += 1 }
                guard value == next else { continue }
                var (rest, position) = (delta, 36)
                while true {
                    let threshold = min(max(position - bias, 1), 26)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    position += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic.count)
                (delta, handled) = (0, handled + 1)
            }
            (delta, next) = (delta + 1, next + 1)
        }
        return output
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)))
    }

    /// Adapts the bias (RFC 3492 section 6.1).
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var (delta, position) = (isFirst ? delta / 700 : delta / 2, 0)
        delta += delta / count
        while delta > 455 { (delta, position) = (delta / 35, position + 36) }
        return position + 36 * delta / (delta + 38)
    }
}

// Composition (Unicode normalization form C), for which the standard library has no function.
extension DomainName {
    /// The composed scalars. They are found by their decomposed text, because equal strings have equal hashes.
    private static let composites: [String: Unicode.Scalar] = {
        var composites: [String: Unicode.Scalar] = [:]
        for value in UInt32(0xC0)...0x30FF {
            guard let scalar = Unicode.Scalar(value), !scalar.properties.changesWhenNFKCCaseFolded else { continue }
            composites[String(scalar)] = scalar
        }
        return composites
    }()

    private static func composed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        func order(_ scalar: Unicode.Scalar) -> UInt8 { scalar.properties.canonicalCombiningClass.rawValue }
        var (result, base): ([Unicode.Scalar], Int?) = ([], nil)
        for scalar in sorted(scalars, by: order) {
            // A scalar of the same class between them keeps the base and the scalar apart.
            let isNext = base.map {
                $0 == result.count - 1 || order(scalar) > 0 && order(result[result.count - 1]) < order(scalar)
            }
            if let base, isNext == true, let whole = composite(result[base], scalar) {
                result[base] = whole
                continue
            }
            if order(scalar) == 0 { base = result.count }
            result.append(scalar)
        }
        return result
    }

    /// Returns the scalars with each run of marks in the order of their classes.
    private static func sorted(_ scalars: [Unicode.Scalar], by order: (Unicode.Scalar) -> UInt8) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in scalars {
            var place = result.count
            while place > 0, order(scalar) > 0, order(result[place - 1]) > order(scalar) { place -= 1 }
            result.insert(scalar, at: place)
        }
        return result
    }

    private static func composite(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        switch (first.value, second.value) {
        case (0x1100...0x1112, 0x1161...0x1175):
            return Unicode.Scalar(0xAC00 + ((first.value - 0x1100) * 21 + second.value - 0x1161) * 28)
        case (0xAC00...0xD7A3, 0x11A8...0x11C2) where (first.value - 0xAC00) % 28 == 0:
            return Unicode.Scalar(first.value + second.value - 0x11A7)
        case (_, 0x300...): return composites["\(first)\(second)"]
        default: return nil
        }
    }
}

extension ASCIISet {
    fileprivate static let hostName = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789-._")
}
