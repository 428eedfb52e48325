/// Conversions between days and dates of the proleptic Gregorian calendar, without Foundation's calendars.
package enum CivilDate {
    /// Returns the number of days from 1970-01-01 to a date. Internally years begin in March.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = year / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
