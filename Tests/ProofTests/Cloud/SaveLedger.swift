import Synchronization

/// Everything that the devices' programs were told, and from it, the contents that must be there at the end.
///
/// A content may go in three ways only: another content was made from it; it was removed by a program that had read it; or its document
/// was removed on a device that could have shown it.
final class SaveLedger: Sendable {
    /// How a program replaces a content.
    enum Replacement {
        /// By a rename: a call that fails has replaced all or nothing.
        case atOnce
        /// In several calls: the former content is gone also where the new one is not whole.
        case inPlace
    }

    private struct Known {
        let save: Save
        let replacement: Replacement
        /// The document's first save.
        let document: String
        var begun: ContinuousClock.Instant
        /// When the program heard that it was done; nil if it failed, so that it may be there or not.
        var done: ContinuousClock.Instant?
    }

    private struct Removal {
        let document: String
        /// Contents of the document by others could arrive from here on: none, while the device had no connection.
        let from: ContinuousClock.Instant
        /// Since when the device had no connection when it removed the document.
        let isolatedSince: ContinuousClock.Instant?
        let seen: Set<String>
        /// When the call had returned; nil while it has not.
        var end: ContinuousClock.Instant?
    }

    private struct State {
        var saves: [String: Known] = [:]
        var discarded: Set<String> = []
        var removals: [Removal] = []
        var events: [Event] = []

        mutating func note(_ text: String, of save: Save) {
            events.append(Event(moment: .now, document: saves[save.token]?.document, text: text))
        }
    }

    /// For a person who asks how a content went.
    private struct Event {
        let moment: ContinuousClock.Instant
        /// The document that it concerns; nil for all.
        let document: String?
        let text: String
    }

    private let beginning = ContinuousClock.now

    private let state = Mutex(State())

    var saves: Int { state.withLock { $0.saves.values.count { $0.done != nil } } }

    /// Call this just before the call that replaces the former content: from here on it may have happened.
    func begin(_ save: Save, replacing replacement: Replacement) {
        state.withLock { state in
            let document = save.base.flatMap { state.saves[$0]?.document } ?? save.token
            state.saves[save.token] = Known(
                save: save, replacement: replacement, document: document, begun: .now)
            state.note("\(save.token) from \(save.base ?? "nothing") begins", of: save)
        }
    }

    func succeed(_ save: Save) {
        state.withLock {
            $0.saves[save.token]?.done = .now
            $0.note("\(save.token) is done", of: save)
        }
    }

    /// A program removed a conflict version that it had read.
    func discard(_ save: Save) {
        state.withLock {
            $0.discarded.insert(save.token)
            $0.note("the conflict version \(save.token) is removed", of: save)
        }
    }

    /// Something happened to all documents.
    func note(_ text: String) { state.withLock { $0.events.append(Event(moment: .now, document: nil, text: text)) } }

    /// What happened to the document of a content, a line each, with seconds since the beginning.
    func history(of save: Save) -> String {
        state.withLock { state in
            let document = state.saves[save.token]?.document
            return state.events.filter { $0.document == nil || $0.document == document }.map {
                "\(($0.moment - beginning) / .seconds(1)) \($0.text)"
            }.joined(separator: "\n")
        }
    }

    /// A program removes a document. It is recorded before the call: a removal that fails may have happened.
    ///
    /// - Parameters:
    ///   - seen: the contents that the program had read.
    ///   - device: its device.
    ///   - isolatedSince: since when that device had no connection; nil if it had one.
    ///   - call: removes it.
    func remove(
        _ save: Save, seen: [Save], on device: String, isolatedSince: ContinuousClock.Instant?,
        by call: () throws -> Void
    ) rethrows {
        let number = state.withLock { state -> Int? in
            guard let document = state.saves[save.token]?.document else { return nil }
            state.note("\(device) removes \(seen.map(\.token))\(isolatedSince == nil ? "" : ", isolated")", of: save)
            state.removals.append(
                Removal(
                    document: document, from: .now, isolatedSince: isolatedSince,
                    seen: Set(seen.map(\.token)), end: nil))
            return state.removals.count - 1
        }
        // What the document got by others a moment later may be removed with it, too.
        defer { if let number { state.withLock { $0.removals[number].end = .now + .seconds(2) } } }
        try call()
    }

    /// - Parameter visible: the contents that are there at the end, as documents or conflict versions.
    /// - Returns: the contents that are lost.
    func lost(visible: Set<Save>) -> [Save] {
        state.withLock { state in
            let read = Set(state.saves.values.compactMap(\.save.base))
            // A rename that failed has replaced something only if its content was seen later.
            let replacing = state.saves.values.filter { known in
                known.done != nil || known.replacement == .inPlace || visible.contains(known.save)
                    || read.contains(known.save.token) || state.discarded.contains(known.save.token)
                    || state.removals.contains { $0.seen.contains(known.save.token) }
            }
            let bases = Set(replacing.compactMap(\.save.base))
            return state.saves.values.filter { known in
                known.done != nil && !visible.contains(known.save) && !bases.contains(known.save.token)
                    && !state.discarded.contains(known.save.token)
                    && !state.removals.contains { Self.mayRemove($0, known) }
            }.map(\.save)
        }
    }

    private static func mayRemove(_ removal: Removal, _ known: Known) -> Bool {
        guard removal.document == known.document else { return false }
        if removal.seen.contains(known.save.token) { return true }
        guard let arrived = removal.isolatedSince ?? removal.end else { return true }
        return known.begun < arrived
    }
}
