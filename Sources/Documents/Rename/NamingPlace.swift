/// What of a folder matters to the names of what is put into it.
public struct NamingPlace: Sendable, Equatable {
    /// Inside a dot folder: filenames are the names that are given.
    public var keepsNames: Bool
    /// Inside a trash folder: all files are scratch.
    public var isScratch: Bool

    public init(keepsNames: Bool, isScratch: Bool) {
        self.keepsNames = keepsNames
        self.isScratch = isScratch
    }

    /// Whether a file called `name` is scratch here.
    public func isScratch(_ name: EntryName) -> Bool { isScratch || ScratchName.matches(name.text) }

    /// Whether a document called `name` has that for its filename here.
    public func keepsName(_ name: EntryName) -> Bool { keepsNames || name.isHidden }

    /// The place that a folder called `name` makes here.
    public func folder(_ name: EntryName) -> NamingPlace {
        NamingPlace(
            keepsNames: keepsNames || name.isHidden,
            isScratch: isScratch || ScratchName.matchesFolder(name.text))
    }
}
