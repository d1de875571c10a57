import Documents

/// The state that the log makes: a table of entries, for `apply` to work on.
///
/// The top folder is not an entry. Its id is `EntryID.cloudRoot`, and it always exists.
public protocol ReplicaState {
    func entry(_ id: EntryID) throws -> ReplicaEntry?
    /// Whether a live entry of a folder has that filename. Names are compared byte for byte.
    func isInUse(_ filename: String, in parent: EntryID, byOtherThan id: EntryID) throws -> Bool
    /// The live documents in a folder whose display name and extension make `fullName`, by id.
    func liveDocuments(in parent: EntryID, fullName: String) throws -> [ReplicaEntry]
    func hasLiveChildren(_ parent: EntryID) throws -> Bool
    mutating func store(_ entry: ReplicaEntry) throws
}
