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
    /// Of the trash. Counted while somebody can be watching.
    private(set) var changes = 0
    /// Calls under way of which the kernel tells watchers by itself.
    private var calls = 0
    /// How long the last look at the trash took.
    private(set) var cost = Duration.zero

    /// More are told in the next round: not all of a great many would reach a watcher at once.
    private static let mostNews = 1000

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
    /// - Returns: whether `news` must be asked for when it has become quiet.
    mutating func mustTell() -> Bool {
        guard isWatched else { return false }
        changes += 1
        guard calls == 0, !isTelling else { return false }
        isTelling = true
        return true
    }

    /// - Parameters:
    ///   - labels: nil where they could not be read. The next change tells then.
    ///   - cost: how long it took to read them.
    /// - Returns: what to tell watchers: first what is gone, then what has come; and whether there is more.
    mutating func news(_ labels: [String: Shown]?, cost: Duration) -> (news: [News], isMore: Bool) {
        isTelling = false
        self.cost = cost
        // The end of the call asks once more.
        guard let labels, let before = shown, calls == 0 else { return ([], false) }
        let gone = before.filter { labels[$0.key] != $0.value }.map { News(label: $0, shown: $1, isThere: false) }
        let come = labels.filter { before[$0.key] != $0.value }.map { News(label: $0, shown: $1, isThere: true) }
        let all = gone.sorted { $0.label < $1.label } + come.sorted { $0.label < $1.label }
        let told = Array(all.prefix(Self.mostNews))
        for news in told { shown?[news.label] = news.isThere ? news.shown : nil }
        return (told, told.count < all.count)
    }
}
