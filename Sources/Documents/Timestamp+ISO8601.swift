extension Timestamp {
    /// `2026-11-21T04:12:33Z`: UTC, whole seconds.
    public var iso8601: String {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let second = seconds - days * 86_400
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
            + "T\((second / 3_600).padded(2)):\((second / 60 % 60).padded(2)):\((second % 60).padded(2))Z"
    }

    /// The proleptic Gregorian date of a day. The algorithm is Howard Hinnant's `civil_from_days`.
    private static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
