import Catalog
import DequeModule
import Documents
import Synchronization

/// Documents whose name was freed a moment ago: they were deleted, or renamed to the name of a backup. A file that is created under
/// one of their names within 15 seconds, or renamed to it, continues the document: some programs save by deleting first, others keep a
/// backup (`Semantics`, "Saving").
final class RecentlyRemoved: Sendable {
    struct Document: Sendable {
        /// The document as it was.
        var entry: Entry
        /// `Untitled.EXT`, if the program called it so.
        var alias: String?
        /// Whether a backup has the identity until another file continues the document. Otherwise the document was deleted.
        var isBackup: Bool
        /// The removal, or the rename to the backup, in the undo list. If a file continues the document, it was a part of a save.
        var step: Actions.StepReference?
        /// After this time the name is free for other documents.
        var expiry: Timestamp
    }

    /// A document is stored under each of its names; a reference is cheaper to store twice.
    private final class Box: Sendable {
        let document: Document

        init(_ document: Document) { self.document = document }
    }

    /// The keys are hashes of a folder and a name. A mass deletion passes through here, and storing the names would cost more.
    private struct Table {
        var documents: [Int: Box] = [:]
        /// In the order in which they expire.
        var keys: Deque<(key: Int, expiry: Timestamp)> = []
    }

    /// Of so many names. `git checkout` of another branch, or `tar` over deleted files, makes thousands of files anew; more are not remembered.
    private static let maximumCount = 32_768

    private let table = Mutex(Table())

    /// Remembers `entry` under its names.
    ///
    /// - Parameter byAlias: whether the program called it `Untitled.EXT`.
    func add(
        _ entry: Entry, byAlias: Bool, isBackup: Bool, step: Actions.StepReference? = nil, now: Timestamp,
        _ transaction: Transaction
    ) {
        let expiry = now + SavingInterval.length
        let alias = byAlias ? entry.untitledAlias : nil
        let box = Box(Document(entry: entry, alias: alias, isBackup: isBackup, step: step, expiry: expiry))
        transaction.ifFailed { self.forget(box) }
        table.withLock { table in
            while let oldest = table.keys.first, oldest.expiry < now || table.keys.count >= Self.maximumCount {
                table.keys.removeFirst()
                if table.documents[oldest.key]?.document.expiry == oldest.expiry { table.documents[oldest.key] = nil }
            }
            for key in Self.keys(of: box.document) {
                table.documents[key] = box
                table.keys.append((key, expiry))
            }
        }
    }

    /// Whether a document had this name a moment ago.
    func knows(_ name: String, in parent: InodeNumber) -> Bool {
        table.withLock { $0.documents[Self.key(name, in: parent)] != nil }
    }

    /// The document that had this name less than 15 seconds ago.
    func document(called name: EntryName, in parent: InodeNumber, now: Timestamp) -> Document? {
        box(name, in: parent).map(\.document).flatMap { $0.expiry >= now ? $0 : nil }
    }

    /// Another document gets the name. From now on the name continues nothing.
    func forget(_ name: EntryName, in parent: InodeNumber, _ transaction: Transaction) {
        guard let box = box(name, in: parent) else { return }
        forget(box)
        transaction.ifFailed {
            self.table.withLock { table in for key in Self.keys(of: box.document) { table.documents[key] = box } }
        }
    }

    private func box(_ name: EntryName, in parent: InodeNumber) -> Box? {
        table.withLock { table in
            guard !table.documents.isEmpty, let found = table.documents[Self.key(name.text, in: parent)],
                found.document.entry.parent == parent,
                found.document.names.contains(where: { $0.isIdentical(to: name.text) })
            else { return nil }
            return found
        }
    }

    private func forget(_ box: Box) {
        table.withLock { table in
            for key in Self.keys(of: box.document) where table.documents[key] === box {
                table.documents[key] = nil
            }
        }
    }

    private static func keys(of document: Document) -> [Int] {
        document.names.map { key($0, in: document.entry.parent) }
    }

    private static func key(_ name: String, in parent: InodeNumber) -> Int {
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(ExactName(name))
        return hasher.finalize()
    }
}

extension RecentlyRemoved.Document {
    /// The names by which a program may make it anew.
    fileprivate var names: [String] { [entry.filename, entry.name?.full, alias].compactMap(\.self) }
}

extension Entry {
    /// `Untitled.EXT` for an untitled document.
    var untitledAlias: String? { name.flatMap { naming.alias(extension: $0.pathExtension)?.full } }

    /// Whether a call that found the entry by this name calls it `Untitled.EXT`.
    func isCalledByAlias(_ name: some Sequence<UInt8>) -> Bool {
        untitledAlias.map { $0.utf8.elementsEqual(name) } ?? false
    }
}
