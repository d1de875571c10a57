/// How the versions of a document are called in `F.conflicts/` and `F.versions/` (PRODUCT 6).
public enum VersionName {
    /// `DEVICE 2026-11-21 04.12.33.EXT`; from the second of one device and second on, `… 04.12.33 2.EXT`.
    ///
    /// - Parameter time: when the version was made, local.
    public static func make(device: String, time: LocalTime, number: Int, pathExtension: String) -> String {
        let known = device.unicodeScalars.filter { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
        let device = String(String.UnicodeScalarView(known)).prefix(bytes: 64)
        let date = [time.year.padded(4), time.month.padded(2), time.day.padded(2)].joined(separator: "-")
        let clock = [time.hour, time.minute, time.second].map { $0.padded(2) }.joined(separator: ".")
        let again = number > 1 ? " \(number)" : ""
        return "\(device) \(date) \(clock)\(again)" + (pathExtension.isEmpty ? "" : "." + pathExtension)
    }
}
