import Documents
import Encryption

/// What a person is told once, when a mount of an encrypted container is ready.
struct MountNews: Sendable {
    /// Of a container that was made, until a person was told.
    var recoveryKey: RecoveryKey?
    /// What the container that this store has joined shows of itself, in one line.
    var joined: String?

    init() {}

    /// A newcomer cannot tell an old state of the container from the newest one; a person can.
    ///
    /// - Parameter newest: the last change that it shows; nil if it shows none.
    static func text(ofJoined newest: NewestEntry?) -> String {
        guard let newest else { return "Nothing has ever been changed in the cloud." + ifLater }
        return
            "The cloud's last change is of \(newest.time.iso8601), by \(newest.deviceName.printable)." + ifLater
    }

    private static let ifLater =
        " If there was a later change, this is an old state; `docfs check` on both devices tells whether they are shown the same."

    /// The cloud did not answer in time.
    static let textOfUnknown =
        "The cloud's last change could not be looked up; `docfs check` tells it, and you know whether there was a later one."

    // MARK: From process to process

    private static let keyMark = "key "
    private static let joinedMark = "joined "

    /// - Parameter lines: what `lines` made.
    init(_ lines: some Sequence<Substring>) {
        for line in lines {
            if line.hasPrefix(Self.keyMark) { recoveryKey = RecoveryKey(String(line.dropFirst(Self.keyMark.count))) }
            if line.hasPrefix(Self.joinedMark) { joined = String(line.dropFirst(Self.joinedMark.count)) }
        }
    }

    /// Each ends with a line feed.
    var lines: String {
        [recoveryKey.map { Self.keyMark + $0.text }, joined.map { Self.joinedMark + $0 }].compactMap { $0 }.map {
            $0 + "\n"
        }.joined()
    }

    // MARK: To a person

    /// - Parameter store: forgets the recovery key.
    func tell(ofStore store: String) throws {
        if let joined { try Output.line(joined) }
        if let recoveryKey { try RecoveryKeyNotice.tell(recoveryKey, ofStore: store) }
    }
}
