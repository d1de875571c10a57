/// The names of a document's versions in `F.conflicts/` and `F.versions/` (Semantics, "Conflicts and versions").
public enum VersionName {
    /// Returns `DEVICE 2026-11-21 04.12.33.EXT`. Further versions of the same device and second get a number: `… 04.12.33 2.EXT`.
    ///
    /// - Parameter time: when the version was saved, in this machine's time zone.
    public static func make(device: String, time: LocalTime, number: Int, pathExtension: String) -> String {
        let again = number > 1 ? " \(number)" : ""
        return "\(DeviceLabel.make(device)) \(time.date) \(time.clock(separator: "."))\(again)"
            + (pathExtension.isEmpty ? "" : "." + pathExtension)
    }
}
