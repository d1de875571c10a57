import DequeModule
import Documents

/// The processes that have a document open of which another device's version was received meanwhile, or had it open until a moment ago.
/// A save by such a process that replaces the whole content is made from the overtaken version, not from the newest
/// (`Semantics`, "Saving"). A process that opens the newest version and writes to it edits that one.
///
/// Only overtaken versions are remembered, and closed ones for a moment, since they may be overtaken yet. Whether a file is open is known
/// from its handles (`OpenFiles`).
struct HeldVersions {
    /// A process has an overtaken version, or had it.
    struct Holding: Equatable, Sendable {
        let process: Int32
        let version: VersionID
        /// The handle by which it is open; without meaning once it is closed.
        let handle: UInt64
        /// When it was closed.
        var end: ContinuousClock.Instant?
        /// Whether it was closed after being open for a moment only.
        var isPassing = false
    }

    /// The process that opened a handle.
    struct Opener: Sendable {
        let process: Int32
        let time: ContinuousClock.Instant
        /// Whether it reads the content: it was not opened for writing only, nor truncated.
        let reads: Bool
    }

    private struct Closed {
        let document: EntryID
        let process: Int32
        let handle: UInt64
        let time: ContinuousClock.Instant
        let isPassing: Bool
    }

    /// How long a version counts as held after it was closed.
    static let patience = Duration.seconds(5)
    /// A program that a person works with keeps a document open for longer than this.
    static let moment = Duration.milliseconds(250)
    /// The most closed documents that are remembered: a process that reads more in `patience` is no editor.
    static let mostClosed = 4096

    /// For each document, the version that was overtaken first is first.
    private var overtaken: [EntryID: [Holding]] = [:]
    /// In the order in which they were closed.
    private var closed: Deque<Closed> = []
    private var nextSweep: ContinuousClock.Instant?

    /// Whether a version of the document was overtaken that a process may still have.
    func isOvertaken(_ document: EntryID) -> Bool { overtaken[document] != nil }

    /// A process opens the newest version of a document. If it read the document for a moment before, it holds what it reads now. If it
    /// kept the document open, it still holds the version that it kept: LibreOffice opens a document once more before it saves.
    mutating func recordOpen(_ document: EntryID, by opener: Opener) {
        guard opener.reads, let holdings = overtaken[document] else { return }
        let rest = holdings.filter { !($0.process == opener.process && $0.end != nil && $0.isPassing) }
        overtaken[document] = rest.isEmpty ? nil : rest
    }

    /// A process closed a document.
    mutating func recordClose(
        _ handle: UInt64, of document: EntryID, by opener: Opener, at now: ContinuousClock.Instant
    ) {
        forgetOld(now)
        let isPassing = now - opener.time < Self.moment
        if let index = overtaken[document]?.firstIndex(where: { $0.handle == handle }) {
            overtaken[document]?[index].end = now
            overtaken[document]?[index].isPassing = isPassing
        } else {
            closed.append(
                Closed(document: document, process: opener.process, handle: handle, time: now, isPassing: isPassing))
        }
    }

    /// Another device's version of a document was received. The processes that have the document hold the former version.
    ///
    /// - Parameters:
    ///   - version: the former one.
    ///   - handles: by which the document is open, and their processes.
    mutating func recordOvertaken(
        _ version: VersionID, of document: EntryID, heldBy handles: [(number: UInt64, process: Int32)],
        at now: ContinuousClock.Instant
    ) {
        forgetOld(now)
        let known = overtaken[document] ?? []
        var new = handles.filter { handle in !known.contains { $0.handle == handle.number } }
            .map { Holding(process: $0.process, version: version, handle: $0.number, end: nil) }
        if closed.contains(where: { $0.document == document }) {
            for gone in closed where gone.document == document {
                new.append(
                    Holding(
                        process: gone.process, version: version, handle: gone.handle, end: gone.time,
                        isPassing: gone.isPassing))
            }
            closed.removeAll { $0.document == document }
        }
        if !new.isEmpty { overtaken[document] = known + new }
    }

    /// One of these processes saves a document. From then on they hold the saved version.
    ///
    /// - Returns: the versions that they held until now. The one that was overtaken first is first.
    mutating func removeHoldings(_ document: EntryID, heldBy processes: Set<Int32>, at now: ContinuousClock.Instant)
        -> [Holding]
    {
        let all = overtaken[document] ?? []
        let removed = all.filter { processes.contains($0.process) }
        let rest = all.filter { !processes.contains($0.process) }
        overtaken[document] = rest.isEmpty ? nil : rest
        return removed.filter { Self.isHeld($0, now) }
    }

    /// The save failed.
    mutating func restore(_ holdings: [Holding], of document: EntryID) {
        if !holdings.isEmpty { overtaken[document] = holdings + (overtaken[document] ?? []) }
    }

    private static func isHeld(_ holding: Holding, _ now: ContinuousClock.Instant) -> Bool {
        holding.end.map { now - $0 < patience } ?? true
    }

    private mutating func forgetOld(_ now: ContinuousClock.Instant) {
        while let oldest = closed.first, now - oldest.time >= Self.patience || closed.count >= Self.mostClosed {
            closed.removeFirst()
        }
        if overtaken.isEmpty || nextSweep.map({ now < $0 }) == true { return }
        nextSweep = now + Self.patience
        overtaken = overtaken.compactMapValues { holdings in
            let held = holdings.filter { Self.isHeld($0, now) }
            return held.isEmpty ? nil : held
        }
    }
}
