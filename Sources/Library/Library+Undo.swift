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

    /// Undoes the last action, or does the one again that was undone last.
    ///
    /// - Throws: ENODATA where there is none; EEXIST, ENOENT, EBUSY, ENOTEMPTY when it cannot be undone any more, or not now; as `rename`
    ///   for a move between local and cloud; ENOSPC.
    public func perform(_ direction: ActionDirection) throws(Refusal) { try undoing.perform(direction) }

    /// `done NAME` or `refused REASON`: what became of the last call of `perform`. Empty before the first.
    public var outcomeOfUndo: String { undoing.outcome }
}
