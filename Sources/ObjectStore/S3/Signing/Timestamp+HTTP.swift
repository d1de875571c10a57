import Documents

extension Timestamp {
    /// Reads the value of a `Date` header: `Sun, 06 Nov 1994 08:49:37 GMT`.
    init?(httpDate text: String) {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(words[2])), let year = Int(words[3]),
            (1970...9999).contains(year), let seconds = Self.secondsOfDay(words[4])
        else { return nil }
        self.init(seconds: Self.days(to: year, month + 1, day) * 86_400 + seconds, nanoseconds: 0)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":").map { Int($0) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// Days since 1970-01-01, by Howard Hinnant's `days_from_civil`.
    private static func days(to year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
