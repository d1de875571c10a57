/// How the versions of a document are called in `F.conflicts/` and `F.versions/` (PRODUCT 6).
public enum VersionName {
    /// `DEVICE 2026-11-21 04.12.33.EXT`; from the second of one device and second on, `… 04.12.33 2.EXT`.
    ///
    /// - Parameter time: when the version was made, local.
    public static func make(device: String, time: LocalTime, number: Int, pathExtension: String) -> String {
        let again = number > 1 ? " \(number)" : ""
        return "\(DeviceLabel.make(device)) \(time.date) \(time.clock(separator: "."))\(again)"
            + (pathExtension.isEmpty ? "" : "." + pathExtension)
    }
}
