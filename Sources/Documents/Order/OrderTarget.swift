/// Where an entry is to stand among the others of its folder.
public enum OrderTarget: Equatable, Sendable {
    /// The name of the entry before which it is to stand.
    case before(String)
    /// The name of the entry after which it is to stand.
    case after(String)
    /// Counted from 1. Below 1 means the first position, and more than there are means the last.
    case to(Int)

    /// Reads `before NAME`, `after NAME` or `to NUMBER`.
    public init?(_ text: String) {
        guard let space = text.firstIndex(of: " ") else { return nil }
        let value = String(text[text.index(after: space)...])
        switch text[..<space] {
        case "before" where !value.isEmpty: self = .before(value)
        case "after" where !value.isEmpty: self = .after(value)
        case "to":
            guard let number = Int(value) else { return nil }
            self = .to(number)
        default: return nil
        }
    }

    /// The value of `OrderAttribute.position` that means this.
    public var text: String {
        switch self {
        case .before(let name): "before \(name)"
        case .after(let name): "after \(name)"
        case .to(let number): "to \(number)"
        }
    }
}
