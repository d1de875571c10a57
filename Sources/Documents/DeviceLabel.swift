/// A device's name as a part of a filename.
public enum DeviceLabel {
    private static let maximumLength = 64

    /// - Parameter device: any text: it comes from this device's owner, or from another device's commit.
    public static func make(_ device: String) -> String {
        let usable = device.unicodeScalars.filter { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
        return String(String.UnicodeScalarView(usable)).prefix(bytes: maximumLength)
    }
}
