/// The name of what would otherwise bear the name of something else from another device.
public enum DistinctName {
    /// `NAME (DEVICE)`, `NAME (DEVICE 2)` and so on, short enough to serve with the extension.
    public static func make(_ name: String, device: String, number: Int, pathExtension: String) -> String {
        let suffix = " (\(DeviceLabel.make(device))\(number > 1 ? " \(number)" : ""))"
        let room = EntryName.maximumLength - suffix.utf8.count - (pathExtension.isEmpty ? 0 : pathExtension.utf8.count + 1)
        return name.prefix(bytes: max(1, room)) + suffix
    }
}

/// A device's name as a part of a filename.
enum DeviceLabel {
    private static let maximumLength = 64

    /// - Parameter device: as its owner gave it, or as another device's commit has it: any text.
    static func make(_ device: String) -> String {
        let usable = device.unicodeScalars.filter { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
        return String(String.UnicodeScalarView(usable)).prefix(bytes: maximumLength)
    }
}
