import DequeModule
import Documents

/// Which processes have a version that another device has overtaken, or had one until a moment ago: what they save is made
/// from that one (PRODUCT 2), if it replaces all of the content. Who opens the newest version and adds to it has that.
///
/// Only what is overtaken is remembered, and for a moment what was closed and may be overtaken yet. That a file is open
/// its handles tell (`OpenFiles`).
struct HeldVersions {
    /// What a process has, or had.
    struct Holding: Equatable, Sendable {
        let process: Int32
        let version: VersionID
        /// By which it has it open; meaningless once it is closed.
        let handle: UInt64
        /// When it was closed.
        var end: ContinuousClock.Instant?
        /// Whether it was open for a moment only.
        var isPassing = false
    }

    /// Who opened a document by a handle.
    struct Opener: Sendable {
        let process: Int32
        let time: ContinuousClock.Instant
        /// Whether it gets to see what the document holds.
        let reads: Bool
    }

    private struct Closed {
        let document: EntryID
        let process: Int32
        let handle: UInt64
        let time: ContinuousClock.Instant
        let isPassing: Bool
    }

    /// For so long after it was closed a version counts as held.
    static let patience = Duration.seconds(5)
    /// Who has a document open for less is no program that keeps it open while somebody works on it.
    static let moment = Duration.milliseconds(250)
    /// Who reads more documents than this in that time is no editor.
    static let mostClosed = 4096

    /// Those that were overtaken first come first.
    private var overtaken: [EntryID: [Holding]] = [:]
    /// The latest last.
    private var closed: Deque<Closed> = []
    private var nextSweep: ContinuousClock.Instant?

    /// Whether the document was overtaken under somebody who may have it still.
    func concern(_ document: EntryID) -> Bool { overtaken[document] != nil }

    /// A process opens the newest version of a document. Who reads it again and again, for a moment each time, goes on from
    /// what it reads now. A program that kept the document open may open it once more for other reasons, as LibreOffice does
    /// before it saves.
    mutating func noteOpened(_ document: EntryID, by opener: Opener) {
        guard opener.reads, let holdings = overtaken[document] else { return }
        let rest = holdings.filter { !($0.process == opener.process && $0.end != nil && $0.isPassing) }
        overtaken[document] = rest.isEmpty ? nil : rest
    }

    /// A process let go of a document.
    mutating func noteClosed(_ handle: UInt64, of document: EntryID, by opener: Opener, at now: ContinuousClock.Instant)
    {
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

    /// Another device's version of a document came: who has the document has this one, which is an older one now.
    ///
    /// - Parameter handles: by which it is open, and their processes.
    mutating func noteOvertaken(
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

    /// One of these processes saves a document: from then on they have what they saved.
    ///
    /// - Returns: what they had of it, the version that was overtaken first coming first.
    mutating func take(_ document: EntryID, heldBy processes: Set<Int32>, at now: ContinuousClock.Instant) -> [Holding]
    {
        let all = overtaken[document] ?? []
        let taken = all.filter { processes.contains($0.process) }
        let rest = all.filter { !processes.contains($0.process) }
        overtaken[document] = rest.isEmpty ? nil : rest
        return taken.filter { Self.isHeld($0, now) }
    }

    /// The save did not succeed.
    mutating func giveBack(_ taken: [Holding], of document: EntryID) {
        if !taken.isEmpty { overtaken[document] = taken + (overtaken[document] ?? []) }
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
