import Backing
import Documents

/// Actions, undo and redo.
extension Library {
    /// The text of `Documents/.undo` or `.redo`.
    public func actionListText(_ direction: ActionDirection) throws(Refusal) -> String {
        try undoing.listText(direction)
    }

    /// `Documents/.undo` or `.redo`, also if a document has the name.
    public func lookupActionList(_ direction: ActionDirection) throws(Refusal) -> Resolved {
        Resolved(
            node: .actions(direction), attributes: try attributes(of: .actions(direction)), isCacheable: false)
    }

    /// A report for the docfs command, by its reserved name.
    public func lookupReport(_ report: ReservedReport) throws(Refusal) -> Resolved {
        Resolved(node: .report(report), attributes: try attributes(of: .report(report)), isCacheable: false)
    }

    /// Undoes the last action, or does the one again that was undone last.
    ///
    /// - Throws: ENODATA where there is none; EEXIST, ENOENT, EBUSY, ENOTEMPTY when it cannot be undone any more, or not now; as `rename`
    ///   for a move between local and cloud; ENOSPC.
    public func perform(_ direction: ActionDirection) throws(Refusal) { try undoing.perform(direction) }

    /// One JSON object a line, the latest first.
    public func reportText(_ report: ReservedReport) throws(Refusal) -> String {
        switch report {
        case .trash: try undoing.trashText()
        case .undo: try undoing.reportText(.undo)
        case .redo: try undoing.reportText(.redo)
        case .devices: try transactions.inspect { rows in try rows.devicesText(this: store.device) }
        }
    }

    /// Brings a document back from the trash.
    ///
    /// - Parameter key: `TrashedDocument.key`.
    /// - Throws: ENOENT, EEXIST where its name is taken, ENOSPC.
    public func restoreFromTrash(_ key: String, by caller: Caller = .unknown) throws(Refusal) {
        try undoing.restoreFromTrash(key, by: caller)
    }

    /// Removes for good what is in the trash. What was removed before can no longer be undone.
    public func emptyTrash() throws(Refusal) { try undoing.emptyTrash() }

    /// `done NAME` or `refused REASON`: what became of the last call of `perform`. Empty before the first.
    public var outcomeOfUndo: String { undoing.outcome }
}
