/// A message on a person's desktop.
struct DesktopNotice: Equatable {
    let title: String
    let body: String
}

/// Decides what a person at a desktop is told of a mount, and when: what needs somebody, each thing once, and never more than one message a
/// minute.
struct DesktopNotices {
    struct Facts {
        /// `cloud.connection` of the state.
        var connection = "online"
        /// Why, where `connection` does not say it.
        var reason: String?
        /// The changes that wait for the cloud.
        var pending = 0
        /// Names of documents in conflict.
        var conflicts: Set<String> = []
    }

    /// Seconds between two messages.
    private static let pause = 60.0
    /// Seconds for which the cloud may be away before that is told.
    private static let patience = 300.0

    private let mountpoint: String
    private var last: Double?
    /// Since when the cloud cannot be reached.
    private var awaySince: Double?
    /// The state of the connection that was told.
    private var toldConnection = "online"
    /// nil before the first look: conflicts that were there when the mount began are not news.
    private var toldConflicts: Set<String>?

    init(mountpoint: String) { self.mountpoint = mountpoint }

    /// - Parameter now: in seconds, of a clock that only goes forward.
    /// - Returns: what is to be told now.
    mutating func next(_ facts: Facts, now: Double) -> DesktopNotice? {
        awaySince = facts.connection == "offline" ? awaySince ?? now : nil
        if facts.connection == "online" { toldConnection = "online" }
        // A conflict that was resolved and comes again is news.
        toldConflicts = toldConflicts?.intersection(facts.conflicts) ?? facts.conflicts
        if let last, now - last < Self.pause { return nil }
        guard let notice = trouble(facts, now) ?? conflict(facts) else { return nil }
        last = now
        return notice
    }

    private mutating func trouble(_ facts: Facts, _ now: Double) -> DesktopNotice? {
        guard facts.connection != "online", facts.connection != toldConnection else { return nil }
        let waiting = facts.pending == 0 ? "" : "\(HumanText.count(facts.pending, "change")) still to send. "
        let title: String
        var hint = facts.reason ?? ""
        switch facts.connection {
        case "offline":
            guard let awaySince, now - awaySince >= Self.patience, facts.pending > 0 else { return nil }
            title = "The cloud has been away for five minutes"
        case "unauthorized":
            title = "The cloud refuses the credentials"
            hint = "docfs status \(mountpoint) says more."
        default:
            title = "The cloud cannot be used"
            hint = facts.connection
        }
        toldConnection = facts.connection
        return DesktopNotice(title: title, body: waiting + hint)
    }

    private mutating func conflict(_ facts: Facts) -> DesktopNotice? {
        let new = facts.conflicts.subtracting(toldConflicts ?? [])
        guard let first = new.sorted().first else { return nil }
        toldConflicts = facts.conflicts
        let title = new.count == 1 ? "“\(first)” is in conflict" : "\(new.count) documents are in conflict"
        let names =
            new.count == 1 ? "" : new.sorted().prefix(3).joined(separator: ", ") + (new.count > 3 ? ", … " : ". ")
        return DesktopNotice(
            title: title,
            body:
                "\(names)Two devices changed it, and neither had seen the other's change. docfs resolve shows the versions."
        )
    }
}
