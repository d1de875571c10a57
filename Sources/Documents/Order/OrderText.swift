/// The text of a folder's virtual `.order`: one name a line. A line feed in a name is written as `\012`.
public enum OrderText {
    private static let escaped = "\\012"

    /// - Parameter names: as the folder lists them, in order.
    public static func text(_ names: some Sequence<String>) -> String {
        names.map { escape($0) + "\n" }.joined()
    }

    /// The line of a name.
    public static func escape(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "\n")) else { return name }
        // By bytes: CR LF is one character.
        let pieces = name.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return pieces.map { String(Substring($0)) }.joined(separator: escaped)
    }

    /// The name that a line with `\012` means, with line feeds. It is used only if no entry has the line itself as its name.
    ///
    /// - Returns: nil for a line without `\012`.
    public static func unescape(_ line: String) -> String? {
        let pieces = line.split(separator: escaped, omittingEmptySubsequences: false)
        return pieces.count > 1 ? pieces.joined(separator: "\n") : nil
    }

    /// The lines that are complete, without empty ones. The last line may be still to be written: it counts as complete if a line feed
    /// ends it, or if the text ends where no program that writes a long text in pieces would end a piece.
    ///
    /// - Returns: nil for a text that is not UTF-8.
    public static func lines(of text: [UInt8]) -> (lines: [String], isWhole: Bool)? {
        let isWhole = text.last == UInt8(ascii: "\n") || text.count % pieceLength != 0
        let end = isWhole ? text.count : text.lastIndex(of: UInt8(ascii: "\n")) ?? 0
        var lines: [String] = []
        for line in text[..<end].split(separator: UInt8(ascii: "\n")) {
            guard let line = String(validating: line, as: UTF8.self) else { return nil }
            lines.append(line)
        }
        return (lines, isWhole)
    }

    private static let pieceLength = 1024
}
