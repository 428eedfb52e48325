/// A day and time of the proleptic Gregorian calendar in UTC (ISO 8601), without Foundation's calendars.
package struct CivilTime: Sendable, Hashable {
    package let year: Int
    /// 1...12.
    package let month: Int
    package let day, hour, minute: Int
    /// 0...60. 60 is a leap second.
    package let second: Int

    /// The English names of the months, abbreviated, as dates in header fields have them.
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Makes a time. `nil` if there is no such day or time.
    package init?(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year)).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Makes the time that is a number of seconds after 1970-01-01.
    package init(secondsSince1970 seconds: Int64) {
        let (days, ofDay) = seconds.floorDivided(by: 86_400)
        // Years begin in March here, so that the leap day is the last day of a year.
        let (era, ofEra) = (Int(days) + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = ofYear - (153 * shifted + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        (hour, minute, second) = (Int(ofDay) / 3600, Int(ofDay) / 60 % 60, Int(ofDay) % 60)
    }

    /// The number of seconds from 1970-01-01. It fits no `Int` of 32 bits.
    package var secondsSince1970: Int64 {
        Int64(Self.days(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// The day of the week, from 0 for Sunday.
    package var weekday: Int { (Self.days(year, month, day) + 4).floorDivided(by: 7).remainder }

    /// Returns the year that two digits mean: 1970...2069. Other years are returned unchanged.
    package static func year(ofTwoDigits year: Int) -> Int {
        switch year {
        case ..<70: year + 2000
        case ..<100: year + 1900
        default: year
        }
    }

    /// Returns the number of days from 1970-01-01 to a date.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, ofEra) = (month > 2 ? year : year - 1).floorDivided(by: 400)
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1)
    }
}

extension BinaryInteger {
    /// Divides and rounds the quotient down, so that the remainder is not negative for a positive divisor.
    package func floorDivided(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// Returns the decimal digits, with zeros before them up to a number of digits.
    package func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

extension Substring.UTF8View {
    /// Removes a character in ASCII from the beginning. Returns whether it was there.
    package mutating func pop(_ scalar: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: scalar) else { return false }
        removeFirst()
        return true
    }

    /// Removes a text from the beginning. Returns whether it was there.
    package mutating func pop(text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        removeFirst(text.utf8.count)
        return true
    }

    /// Removes a number from the beginning: as many digits as there are, up to a maximum. `nil` if there are too few.
    package mutating func popNumber(_ count: ClosedRange<Int>) -> Int? {
        var (index, number, digits) = (startIndex, 0, 0)
        while digits < count.upperBound, index < endIndex {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            (number, digits) = (number * 10 + Int(digit), digits + 1)
            formIndex(after: &index)
        }
        guard digits >= count.lowerBound else { return nil }
        self = self[index...]
        return number
    }

    /// Removes the offset of a time zone from the beginning: `Z`, `+02`, `+0200` or `+02:00`. Returns it in seconds.
    package mutating func popOffset() -> Int? {
        if pop("Z") { return 0 }
        let isAhead = pop("+")
        guard isAhead || pop("-"), let hours = popNumber(2...2), hours < 24 else { return nil }
        let hasColon = pop(":")
        let minutes = popNumber(2...2)
        guard minutes != nil || !hasColon, minutes ?? 0 < 60 else { return nil }
        return (hours * 3600 + (minutes ?? 0) * 60) * (isAhead ? 1 : -1)
    }
}
