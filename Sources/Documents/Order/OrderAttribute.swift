/// The extended attributes by which the command changes the order; never listed.
public enum OrderAttribute {
    /// Of a folder: how it is sorted (`SortMode`).
    public static let sort = "user.document.sort"
    /// Of an entry: setting it moves the entry (`OrderTarget`). It has no value.
    public static let position = "user.document.order"
}
