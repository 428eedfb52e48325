/// Days of the Gregorian calendar, for dates on the wire: no calendar of Foundation's takes part. Pure.
package enum CivilDate {
    /// Days since 1970 of a day, counted in years that begin with March.
    package static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = year / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
