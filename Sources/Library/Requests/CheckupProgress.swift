/// How far a check is in the work that it does now.
public struct CheckupProgress: Sendable, Equatable {
    /// What a check does, in this order.
    public enum Work: String, Sendable {
        /// Compares the store's files with the catalog. In percent.
        case store
        /// Reads the container's log. In entries.
        case log
        /// Looks for the contents that the container needs. In documents.
        case contents
        /// Sends a content that is missing. In bytes.
        case sending
    }

    /// What is done now.
    public let work: Work
    /// In the unit of the work, from 0 to `total`.
    public let done: Int64
    /// In the unit of the work.
    public let total: Int64

    /// - Parameters:
    ///   - done: in the unit of the work.
    ///   - total: in the unit of the work.
    public init(_ work: Work, done: Int64, of total: Int64) {
        self.work = work
        self.done = done
        self.total = total
    }

    /// `WORK DONE TOTAL`, as `docfs check` reads it.
    public var text: String { "\(work.rawValue) \(done) \(total)" }

    /// - Returns: nil for a text that `text` never is.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count == 3, let work = Work(rawValue: String(words[0])), let done = Int64(words[1]),
            let total = Int64(words[2])
        else { return nil }
        self.init(work, done: done, of: total)
    }
}
