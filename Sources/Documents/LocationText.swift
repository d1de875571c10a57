/// The text of `Documents/.location`: `local` or `cloud`, and a line feed.
public enum LocationText {
    /// More bytes than any valid text has.
    public static let mostBytes = 16

    /// With a line feed at the end.
    public static func text(_ location: Location) -> String { location.rawValue + "\n" }

    /// The location that a text means; the line feed may be missing.
    ///
    /// - Returns: nil for any other word.
    public static func location(_ text: some BidirectionalCollection<UInt8>) -> Location? {
        let word = text.last == UInt8(ascii: "\n") ? Array(text.dropLast()) : Array(text)
        return [Location.local, .cloud].first { Array($0.rawValue.utf8) == word }
    }
}
