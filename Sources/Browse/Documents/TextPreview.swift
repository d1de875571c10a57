/// The beginning of a content as a text, for a page.
package struct TextPreview: Sendable, Encodable, Equatable {
    /// Bytes that are read at most.
    static let longest = 512 << 10

    let text: String
    /// Whether that is all of it.
    let isWhole: Bool

    /// - Returns: nil for a content that is no text.
    init?(_ bytes: [UInt8], isWhole: Bool) {
        if bytes.contains(0) { return nil }
        self.isWhole = isWhole
        // The last letter may be cut.
        for cut in isWhole ? 0...0 : 0...3 {
            if let text = String(validating: bytes.dropLast(cut), as: UTF8.self) {
                self.text = text
                return
            }
        }
        // Of an older program: each byte is a letter of ISO 8859-1.
        text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
