import Documents
import Library

/// A message on a person's desktop.
struct DesktopNotice: Equatable {
    let title: String
    let body: String
}

/// Decides what a person at a desktop is told of a mount, and when: what needs somebody, each thing once, and never more than one message a
/// minute.
struct DesktopNotices {
    struct Facts {
        /// Why the disk of the documents takes no changes.
        var storeError: String?
        var connection = Connection.online
        /// The changes that wait for the cloud.
        var pending = 0
        /// The names of documents in conflict.
        var conflicts: [EntryID: String] = [:]
    }

    private enum Trouble: Hashable { case away, refused, unusable }

    /// Seconds between two messages.
    private static let pause = 60.0
    /// Seconds for which the cloud may be away before that is told.
    private static let patience = 300.0

    private let mountpoint: String
    private var last: Double?
    /// Since when the cloud cannot be reached.
    private var awaySince: Double?
    /// Whether it was told that the disk takes no changes, since it did last.
    private var hasToldOfDisk = false
    /// What was told since the cloud was reached last.
    private var toldTroubles: Set<Trouble> = []
    /// nil before the first look: conflicts that were there when the mount began are not news.
    private var toldConflicts: Set<EntryID>?

    init(mountpoint: String) { self.mountpoint = mountpoint }

    /// - Parameter now: in seconds, of a clock that only goes forward.
    /// - Returns: what is to be told now.
    mutating func next(_ facts: Facts, now: Double) -> DesktopNotice? {
        if case .offline = facts.connection { awaySince = awaySince ?? now } else { awaySince = nil }
        if facts.connection == .online { toldTroubles = [] }
        if facts.storeError == nil { hasToldOfDisk = false }
        // A conflict that was resolved and comes again is news.
        toldConflicts = toldConflicts?.intersection(facts.conflicts.keys) ?? Set(facts.conflicts.keys)
        if let last, now - last < Self.pause { return nil }
        guard let notice = disk(facts) ?? trouble(facts, now) ?? conflict(facts) else { return nil }
        last = now
        return notice
    }

    private mutating func disk(_ facts: Facts) -> DesktopNotice? {
        guard let error = facts.storeError, !hasToldOfDisk else { return nil }
        hasToldOfDisk = true
        return DesktopNotice(title: "Documents cannot be saved", body: error)
    }

    private mutating func trouble(_ facts: Facts, _ now: Double) -> DesktopNotice? {
        let trouble: Trouble
        let title: String
        let hint: String
        switch facts.connection {
        case .online, .moving: return nil
        case .offline(let reason):
            guard let awaySince, now - awaySince >= Self.patience, facts.pending > 0 else { return nil }
            (trouble, title, hint) = (.away, "The cloud has been away for five minutes", reason)
        case .unauthorized:
            (trouble, title) = (.refused, "The cloud refuses the credentials")
            hint = "docfs status \(mountpoint) says more."
        case .failed(let reason): (trouble, title, hint) = (.unusable, "The cloud cannot be used", reason)
        }
        guard toldTroubles.insert(trouble).inserted else { return nil }
        let waiting = facts.pending == 0 ? "" : "\(HumanText.count(facts.pending, "change")) still to send. "
        return DesktopNotice(title: title, body: waiting + hint)
    }

    private mutating func conflict(_ facts: Facts) -> DesktopNotice? {
        let new = facts.conflicts.filter { toldConflicts?.contains($0.key) == false }.values.sorted()
        guard let first = new.first else { return nil }
        toldConflicts = Set(facts.conflicts.keys)
        let title = new.count == 1 ? "“\(first)” is in conflict" : "\(new.count) documents are in conflict"
        let names = new.count == 1 ? "" : new.prefix(3).joined(separator: ", ") + (new.count > 3 ? ", … " : ". ")
        let what = new.count == 1 ? "it" : "each"
        return DesktopNotice(
            title: title,
            body: "\(names)Two devices changed \(what), and neither had seen the other's change. "
                + "docfs resolve shows the versions.")
    }
}
