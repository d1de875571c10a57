import Catalog
import Documents

/// A rename that `RenameRule` allows, with the entries it concerns.
struct Move {
    var source: Entry
    /// Whether the call names it `Untitled.EXT`, which is none of its own names.
    var isSourceCalledByAlias: Bool
    var target: Entry?
    /// Whether the new name is the one by which the target is listed.
    var isTargetNameListed: Bool
    var folder: Entry
    var name: EntryName
    var plan: RenamePlan
    var migrates: Bool
    /// The document that had the new name until a moment ago, if the source can take its identity.
    var continuation: Continuation?
}
