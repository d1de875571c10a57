import Foundation
import Glibc

/// Sizes and times for people. JSON has exact ones.
enum HumanText {
    /// `482 B`, `1.2 KB`, `34 MB`; 1 KB is 1024 bytes.
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1024 else { return "\(max(0, bytes)) B" }
        var value = Double(bytes) / 1024
        var units = ["KB", "MB", "GB", "TB", "PB", "EB"][...]
        while value >= 1023.5, units.count > 1 {
            value /= 1024
            units = units.dropFirst()
        }
        let tenths = Int((value * 10).rounded())
        let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
        return "\(number) \(units.first ?? "")"
    }

    /// `8 s`, `2 min`, `1 h 5 min`.
    static func duration(seconds: Double) -> String {
        let seconds = Int(min(max(0, seconds), 1e9).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        let minutes = (seconds + 30) / 60
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// `2026-11-21 04:12`.
    static func time(_ parts: tm) -> String {
        func padded(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
            + " \(padded(parts.tm_hour)):\(padded(parts.tm_min))"
    }

    /// In this machine's time zone.
    static func localTime(secondsSince1970: Int) -> String {
        var seconds = secondsSince1970
        var parts = tm()
        localtime_r(&seconds, &parts)
        return time(parts)
    }

    /// Another text is left as it is.
    static func localTime(iso8601 text: String) -> String {
        guard let date = try? Date(text, strategy: .iso8601) else { return text }
        return localTime(secondsSince1970: Int(date.timeIntervalSince1970))
    }

    /// `1 document`, `3 documents`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
