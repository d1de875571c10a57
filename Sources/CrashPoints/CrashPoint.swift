/// An effect that outlives the process: a change of the store's files, a commit of rows, a change of the container. A kill or a power loss
/// between two of them leaves a state that the next start must repair (the page Crashes).
///
/// Each effect passes its point right before it happens. Tests have docfs killed there (`Attack`); for everybody else a point is nothing.
public enum CrashPoint: String, CaseIterable, Sendable {
    // Files of the store
    case makeFile, makeFolder, makeLink, linkFile, rename, removeFile, removeFolder
    case changeMode, changeOwner, changeTimes, changeAttribute, changeSize
    // Rows of the catalog
    case commitRows, rowsCommitted
    // Objects of the container. The point after one stands for a reply that is lost with the process.
    case uploadContent, contentUploaded, appendCommit, commitAppended

    /// Call this right before the effect.
    public func pass() { Attack.loaded?.pass(rawValue) }
}
