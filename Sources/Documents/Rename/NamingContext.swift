/// How a folder treats the names of the entries in it.
public struct NamingContext: Sendable, Equatable {
    /// Whether it is a dot folder or inside one: filenames are then the given names, not generated ones.
    public var keepsNames: Bool
    /// Whether it is a trash folder or inside one: all files in it are scratch.
    public var isScratch: Bool

    public init(keepsNames: Bool, isScratch: Bool) {
        self.keepsNames = keepsNames
        self.isScratch = isScratch
    }

    /// Whether a file called `name` is scratch here.
    public func isScratch(_ name: EntryName) -> Bool { isScratch || ScratchName.matches(name.text) }

    /// Whether an entry called `name` is scratch here, as one kind of entry or another.
    public func mayBeScratch(_ name: EntryName) -> Bool { isScratch(name) || folder(name).isScratch }

    /// Whether a document that is created as `name` here gets that as its filename.
    public func keepsName(_ name: EntryName) -> Bool { keepsNames || name.isHidden }

    /// The context in a subfolder called `name`.
    public func folder(_ name: EntryName) -> NamingContext {
        NamingContext(
            keepsNames: keepsNames || name.isHidden,
            isScratch: isScratch || ScratchName.matchesFolder(name.text))
    }
}
