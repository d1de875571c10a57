/// Renames an entry whose name another device has given to another entry.
public enum DistinctName {
    /// Returns `NAME (DEVICE)`, `NAME (DEVICE 2)` and so on, shortened so that the extension fits too.
    public static func make(_ name: String, device: String, number: Int, pathExtension: String) -> String {
        let suffix = " (\(DeviceLabel.make(device))\(number > 1 ? " \(number)" : ""))"
        let room =
            EntryName.maximumLength - suffix.utf8.count - (pathExtension.isEmpty ? 0 : pathExtension.utf8.count + 1)
        return name.prefix(bytes: max(1, room)) + suffix
    }
}
