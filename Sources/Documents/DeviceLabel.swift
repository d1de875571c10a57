/// A device's name as a part of a filename.
enum DeviceLabel {
    private static let maximumLength = 64

    /// - Parameter device: as its owner gave it, or as another device's commit has it: any text.
    static func make(_ device: String) -> String {
        let usable = device.unicodeScalars.filter { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7f }
        return String(String.UnicodeScalarView(usable)).prefix(bytes: maximumLength)
    }
}
