/// A document that comes from a page, piece by piece. Nobody sees it before its end.
package protocol IncomingDocument: Sendable {
    /// Blocks.
    ///
    /// - Parameter offset: how many bytes have come before.
    /// - Throws: `BrowseRefusal`, also where a piece is missing.
    func add(_ bytes: [UInt8], at offset: Int64) throws(BrowseRefusal)

    /// Makes it a document. Blocks. If its name is taken, that can be asked for again.
    ///
    /// - Parameters:
    ///   - size: of all of it, in bytes.
    ///   - isNumbered: whether it gets a number where its name is taken; else that is refused.
    /// - Throws: `BrowseRefusal`, of a name that is taken too.
    func finish(size: Int64, isNumbered: Bool) throws(BrowseRefusal)

    /// Nothing of it is left.
    func cancel()
}

/// What a document that comes is to be called, and when it was changed.
package struct IncomingName: Sendable, Equatable {
    /// Folders below the one it goes to, which are made, and its own name. Not empty.
    package let path: [String]
    /// Seconds since 1970.
    package let modified: Int?
    /// Whether it may begin although its name is taken.
    package let isNumbered: Bool

    /// - Returns: nil for a path that leads elsewhere.
    package init?(path: String, modified: Int?, isNumbered: Bool) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isPlain = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
        guard isPlain, parts.count <= Self.deepest else { return nil }
        self.path = parts
        self.modified = modified
        self.isNumbered = isNumbered
    }

    private static let deepest = 100
}
