/// The text of `Documents/.location`: `local` or `cloud`, and a line feed.
public enum LocationText {
    /// More bytes than any valid text has.
    public static let mostBytes = 16

    /// With a line feed at the end.
    public static func text(_ container: Container) -> String { container.rawValue + "\n" }

    /// The container that a text means; the line feed may be missing.
    ///
    /// - Returns: nil for any other word.
    public static func container(_ text: some BidirectionalCollection<UInt8>) -> Container? {
        let word = text.last == UInt8(ascii: "\n") ? Array(text.dropLast()) : Array(text)
        return [Container.local, .cloud].first { Array($0.rawValue.utf8) == word }
    }
}
