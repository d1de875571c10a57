import Backing
import Catalog
import Documents
import LinuxFiles
import Logging
import Synchronization

/// Tells programs that watch the trash what comes and goes in it (`TrashWatch`).
extension TrashDirectory {
    /// Changes that follow one another, as of `rm -r`, are told together: in between, a document lies in `files` whose folder is about to
    /// follow.
    private static let quiet = Duration.milliseconds(250)
    /// After this they are told in any case.
    private static let longestWait = Duration.seconds(2)
    /// Looking at a large trash holds up other calls. It takes this part of the time at most.
    private static let share = 10

    func beginWatching() throws(Refusal) {
        if watch.withLock(\.isWatched) { return }
        let labels = try inspect { try self.labels($0) }
        watch.withLock { $0.begin(labels) }
    }

    /// The kernel has forgotten a place: nobody watches it any more.
    func forget(_ folder: FolderInTrash) { if folder == .files { watch.withLock { $0.end() } } }

    /// Runs a call of which the kernel tells watchers by itself.
    ///
    /// - Parameter new: what the path is after it; nil where it is gone.
    func asToldByKernel(
        _ path: String, _ new: TrashWatch.Shown?, _ call: () throws(Refusal) -> Void
    ) throws(Refusal) {
        watch.withLock { $0.beginCall() }
        defer {
            watch.withLock { $0.endCall() }
            tellWatchersLater()
        }
        try call()
        if !path.contains("/") { watch.withLock { $0.note(path, new) } }
    }

    /// The trash has changed.
    func tellWatchersLater() {
        guard watch.withLock({ $0.mustTell() }) else { return }
        Task { [weak self, surroundings] in
            let start = surroundings.instant()
            var seen = -1
            while let (changes, cost) = self?.watch.withLock({ ($0.changes, $0.cost) }) {
                let waited = surroundings.instant() - start
                if waited >= cost * Self.share, changes == seen || waited >= Self.longestWait { break }
                seen = changes
                // A sleep fails only when it is cancelled.
                guard (try? await surroundings.sleep(max(Self.quiet, cost * Self.share - waited))) != nil else { break }
            }
            if let self { await onBlockingThread { self.tellWatchers() } }
        }
    }

    private func tellWatchers() {
        let (news, isMore): ([TrashWatch.News], Bool)
        do throws(Refusal) {
            (news, isMore) = try inspect { rows in
                let start = surroundings.instant()
                let labels = try self.labels(rows)
                return watch.withLock { $0.news(labels, cost: surroundings.instant() - start) }
            }
        } catch {
            watch.withLock { _ = $0.news(nil, cost: .zero) }
            return logger.warning("watchers were not told of the trash", metadata: ["error": "\(error)"])
        }
        if isMore { tellWatchersLater() }
        if news.isEmpty { return }
        notices.observer?.trashChanged(
            news.map { news in
                let number = number(news.label)
                return TrashChange(
                    label: news.label, node: news.shown.isFolder ? .folderInTrash(.folder(number)) : .trashed(number),
                    isThere: news.isThere)
            })
    }

    private func labels(_ rows: Rows) throws -> [String: TrashWatch.Shown] {
        let items = try items(rows)
        return Dictionary(
            uniqueKeysWithValues: items.labels.map { label in
                (label, .init(isFolder: items.byPath[label]?.trashed.isFolder == true))
            })
    }
}
