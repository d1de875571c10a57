import Documents

/// What programs that watch `.Trash-UID/files` have been told of. File managers list it once, and then go by what the kernel tells them
/// (inotify): that is only what they do in it themselves. So they are told of what else comes and goes: what `rm` removes, what undo brings
/// back, what another device deletes.
struct TrashWatch {
    struct Shown: Equatable {
        let isFolder: Bool
    }

    struct News {
        let label: String
        let shown: Shown
        /// Whether it came; else it went.
        let isThere: Bool
    }

    /// By their names in `files`; nil while nobody can be watching.
    private var shown: [String: Shown]?
    private var isTelling = false
    /// Calls under way of which the kernel tells watchers by itself.
    private var calls = 0

    var isWatched: Bool { shown != nil }

    /// Somebody has looked up `files`, and sees these in it.
    mutating func begin(_ labels: [String: Shown]) { if shown == nil { shown = labels } }

    /// The kernel has forgotten `files`: nobody watches it.
    mutating func end() { shown = nil }

    /// A call begins of which the kernel will tell watchers by itself.
    mutating func beginCall() { calls += 1 }

    mutating func endCall() { calls -= 1 }

    /// The kernel tells watchers of this.
    ///
    /// - Parameter new: nil where the label goes.
    mutating func note(_ label: String, _ new: Shown?) { shown?[label] = new }

    /// The trash has changed.
    ///
    /// - Returns: whether `news` must be asked for in a moment.
    mutating func mustTell() -> Bool {
        guard isWatched, calls == 0, !isTelling else { return false }
        isTelling = true
        return true
    }

    /// - Parameter labels: nil where they could not be read. The next change tells then.
    /// - Returns: what to tell watchers: first what is gone, then what has come.
    mutating func news(_ labels: [String: Shown]?) -> [News] {
        isTelling = false
        // The end of the call asks once more.
        guard let labels, let before = shown, calls == 0 else { return [] }
        shown = labels
        let gone = before.filter { labels[$0.key] != $0.value }.map { News(label: $0, shown: $1, isThere: false) }
        let come = labels.filter { before[$0.key] != $0.value }.map { News(label: $0, shown: $1, isThere: true) }
        return gone.sorted { $0.label < $1.label } + come.sorted { $0.label < $1.label }
    }
}
