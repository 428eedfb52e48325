/// A day of the proleptic Gregorian calendar (ISO 8601), without Foundation's calendars.
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// 1...12.
    package let month: Int
    /// 1...31.
    package let day: Int

    /// The English names of the months, abbreviated, as dates in header fields have them.
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Makes the date of a day.
    ///
    /// - Parameter days: Days since 1970-01-01.
    package init(daysSince1970 days: Int) {
        // Years begin in March here, so that the leap day is the last day of a year.
        let (era, ofEra) = (days + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        day = ofYear - (153 * shifted + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns the number of days from 1970-01-01 to a date.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, ofEra) = (month > 2 ? year : year - 1).floorDivided(by: 400)
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// Returns the number of seconds from 1970-01-01 in UTC to a time of a day. It fits no `Int` of 32 bits.
    package static func seconds(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
    ) -> Int64 {
        Int64(days(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Returns the number of days of a month.
    package static func length(ofMonth month: Int, _ year: Int) -> Int {
        month == 12 ? 31 : days(year, month + 1, 1) - days(year, month, 1)
    }

    /// Returns the year that two digits mean: 1970...2069. Other years are returned unchanged.
    package static func year(ofTwoDigits year: Int) -> Int {
        switch year {
        case ..<70: year + 2000
        case ..<100: year + 1900
        default: year
        }
    }
}

extension Int {
    /// Divides and rounds the quotient down, so that the remainder is not negative for a positive divisor.
    package func floorDivided(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
