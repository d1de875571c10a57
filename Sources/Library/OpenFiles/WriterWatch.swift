/// The writers of an open file: how many there are, whether the content has changed, and when it can be sent.
///
/// The kernel may write to a file by itself and docfs learns of it from the file's times only. A mapping may outlive the descriptor that
/// it was made with. So the close of the last writer waits until no mapping is left (`beginClose`, `endWait`, `endClose`), and how long
/// the content is unchanged is measured from one look at the file to the next (`ContentQuiet`).
struct WriterWatch: Sendable {
    /// Handles that are open for writing.
    private(set) var writers = 0
    /// Whether the content was written to, or may have been, since the last writer closed or the last change was sent.
    private(set) var isModified = false
    /// Whether the kernel writes to the file by itself although docfs has it open for writing: it was no cloud document then.
    private var isBypassed = false
    private var quiet = ContentQuiet()

    /// Writers whose close has begun and not ended.
    private var closing = 0
    /// Whether one of them waits until no mapping is left.
    private var isWaiting = false
    /// Whether others have begun to close while one waits.
    private var mustWaitAgain = false

    // MARK: Handles

    mutating func addWriter() { writers += 1 }

    /// A handle for writing is gone. With the last one the changes are saved: the next writer's are others.
    ///
    /// - Returns: whether it was the last writer, and whether there are changes to save.
    mutating func removeWriter() -> (isLast: Bool, isModified: Bool) {
        writers -= 1
        guard writers == 0 else { return (false, false) }
        defer { isModified = false }
        return (true, isModified)
    }

    // MARK: Changes

    /// - Returns: whether the content was unchanged before.
    @discardableResult
    mutating func markModified() -> Bool {
        defer { isModified = true }
        return !isModified
    }

    /// The change was sent, or could not be recorded: the next write is another change.
    mutating func markUnmodified() { isModified = false }

    mutating func markBypassed() { isBypassed = true }

    /// Whether the content may change without a change of the file's times: every writer has closed and mappings may be left, or the kernel
    /// writes by itself to a file that was no cloud document and this machine cannot notice that.
    ///
    /// - Parameter noticesWrites: whether writes by the kernel can be noticed on this machine.
    func mayChangeUnnoticed(noticesWrites: Bool) -> Bool { isOnlyMapped || isBypassed && !noticesWrites }

    // MARK: Quiet

    /// The file looks like this now.
    ///
    /// - Returns: how long it has looked like this, as far as that is known, and whether its writer has declared that content whole.
    mutating func observe(_ look: ContentLook, at now: ContinuousClock.Instant) -> (time: Duration, isSaved: Bool) {
        let time = quiet.observe(look, at: now)
        return (time, quiet.isSaved)
    }

    /// A writer declared this content whole: it synced the file, or renamed it over the document.
    mutating func markSaved(_ look: ContentLook, at now: ContinuousClock.Instant) { quiet.markSaved(look, at: now) }

    // MARK: Closing

    /// Whether every writer has closed and only mappings may still write.
    var isOnlyMapped: Bool { isWaiting && closing >= writers }

    /// A writer begins to close.
    ///
    /// - Returns: whether this close must wait for mappings. That of the last writer must. Those before it need not, nor do those that
    ///   begin while one waits: the one that waits does so for their mappings as well.
    mutating func beginClose() -> Bool {
        closing += 1
        if isWaiting { mustWaitAgain = true }
        if isWaiting || closing < writers { return false }
        isWaiting = true
        return true
    }

    /// The close that waits found no mapping.
    ///
    /// - Returns: false if others began to close meanwhile. Their mappings must be looked for as well.
    mutating func endWait() -> Bool {
        defer { mustWaitAgain = false }
        isWaiting = mustWaitAgain
        return !mustWaitAgain
    }

    mutating func endClose() { closing -= 1 }
}
