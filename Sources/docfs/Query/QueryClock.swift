import Glibc

/// A span of time in seconds since 1970. The end is not in it.
struct QueryPeriod: Equatable {
    let start: Int64
    let end: Int64
}

/// The meaning of dates at the moment when a query begins.
struct QueryClock: Sendable {
    let now: Int64
    /// Midnight of a day of the local calendar; days beyond a month's end count on into the next one. Nil if there is no such year.
    let moment: @Sendable (_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) -> Int64?
    /// Year, month and day.
    let today: (Int, Int, Int)

    /// The machine's clock and time zone.
    static var system: QueryClock {
        var seconds = time(nil)
        var parts = tm()
        localtime_r(&seconds, &parts)
        return QueryClock(
            now: Int64(seconds),
            moment: { year, month, day, hour, minute in
                var parts = tm()
                parts.tm_year = Int32(clamping: year - 1900)
                parts.tm_mon = Int32(clamping: month - 1)
                parts.tm_mday = Int32(clamping: day)
                parts.tm_hour = Int32(clamping: hour)
                parts.tm_min = Int32(clamping: minute)
                parts.tm_isdst = -1
                return Int64(mktime(&parts))
            }, today: (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)))
    }

    /// - Returns: nil if the text is no date.
    func period(_ text: String) -> QueryPeriod? {
        switch text {
        case "today": return day(offset: 0)
        case "yesterday": return day(offset: -1)
        case "now": return instant(now)
        default: return text.hasPrefix("-") ? ago(text.dropFirst()) : date(text)
        }
    }

    private func instant(_ second: Int64) -> QueryPeriod { QueryPeriod(start: second, end: second + 1) }

    private func day(offset: Int) -> QueryPeriod? {
        span { moment(today.0, today.1, today.2 + offset + $0, 0, 0) }
    }

    private func span(_ edge: (Int) -> Int64?) -> QueryPeriod? {
        guard let start = edge(0), let end = edge(1) else { return nil }
        return QueryPeriod(start: start, end: end)
    }

    /// `7d`: so long ago.
    private func ago(_ text: Substring) -> QueryPeriod? {
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (0...1_000_000).contains(number)
        else { return nil }
        return instant(now - number * unit)
    }

    /// `2026-11-01`, `2026-11-01 14:30` or with a `T` between.
    private func date(_ text: String) -> QueryPeriod? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d))?/) else { return nil }
        let (_, yearText, monthText, dayText, hourText, minuteText) = match.output
        guard let year = Int(yearText), let month = Int(monthText), let day = Int(dayText), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        guard let hour = hourText.flatMap({ Int($0) }), let minute = minuteText.flatMap({ Int($0) }) else {
            return span { moment(year, month, day + $0, 0, 0) }
        }
        guard hour < 24, minute < 60 else { return nil }
        return moment(year, month, day, hour, minute).map { QueryPeriod(start: $0, end: $0 + 60) }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
