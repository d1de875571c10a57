import Documents

/// How a container differs from the one that this device knows. Until a person has it repaired, nothing is sent to it, removed
/// because of it or cleaned in it. The description is one line for a person.
public enum ContainerFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is a log, and the object `container` is missing or damaged.
    case unnamed
    /// There is neither a log nor an object `container`.
    case emptied
    /// The object `container`, or an entry, has another container's id.
    case replaced
    /// The entry at this position is missing, and later ones exist.
    case hole(LogPosition)
    /// The container is encrypted, and this device does not have its key.
    case encrypted
    /// Another device has changed the container's key, and this device does not have the new one. By whom and when, as far as that can be told.
    case keyChanged(by: String?, at: Timestamp?)
    /// The checkpoint is missing that the container's newest key began with, so that a newcomer can trust nothing before it.
    case unfounded
    /// This device has read further than the log goes.
    case rolledBack(to: LogPosition, from: LogPosition)
    /// The entry at this position does not follow the one that this device has read before it.
    case otherHistory(at: LogPosition)
    /// The writer of the entry at this position had another state than this device.
    case otherState(at: LogPosition)
    /// The entry at this position was not signed by the device in whose name it is.
    case otherWriter(at: LogPosition)
    /// This device was removed from the container (`docfs devices remove`), by whom and when.
    case removed(by: String, at: Timestamp)
    /// There is no room for one more device.
    case full
    /// The container knows another key for this device than it has.
    case otherKey

    /// Whether the log itself is not as it should be, so that a person may have it repaired.
    public var isDamage: Bool {
        switch self {
        case .encrypted, .keyChanged, .removed, .full, .otherKey: false
        default: true
        }
    }

    /// One line for a person, with the advice that helps.
    public var description: String {
        let advice =
            switch self {
            case .encrypted: "unmount, and mount again with the passphrase (`docfs mount --help`)"
            case .keyChanged: "`docfs key` takes the new passphrase"
            case .full: "`docfs devices remove` on one of them makes room"
            case .otherKey:
                "remove this device on another one (`docfs devices remove`), and say the new passphrase here (`docfs key`)"
            case .removed: "with the new passphrase `docfs key` joins it again"
            case .unfounded: "`docfs check --repair` on a device that has long joined makes it whole"
            case .replaced: "mount the container of this store, or `docfs check --repair` joins the documents of both"
            default: "`docfs check --repair` makes it whole from this device"
            }
        return "\(finding); nothing is sent or removed; \(advice)"
    }

    private var finding: String {
        switch self {
        case .unnamed: "the cloud container has lost its object 'container'"
        case .emptied: "the cloud container was emptied"
        case .replaced: "the cloud holds another container than this device knows"
        case .encrypted: "the cloud container is encrypted, and this device does not have its key"
        case .keyChanged(let device, let time):
            "the key of the cloud container was changed on "
                + (device.map(Self.quoted) ?? "another device")
                + (time.map { " (\($0.iso8601))" } ?? "")
        case .removed(let device, let time):
            "this device was removed from the cloud container on \(Self.quoted(device)) (\(time.iso8601))"
        case .unfounded: "the cloud container has lost the checkpoint that its key began with"
        case .hole(let position): "the log of the cloud container has a hole at position \(position.number)"
        case .rolledBack(let end, let position):
            "the cloud container was rolled back: its log ends at \(end.number), and this device has read \(position.number)"
        case .otherHistory(let position):
            "the cloud container was replaced by another state: its log is another one at position \(position.number)"
        case .otherState(let position):
            "the cloud container does not fit this device: another device had another state at position \(position.number)"
        case .full: "the cloud container has \(Members.most) devices, and no room for this one"
        case .otherKey: "the cloud container knows this device by another key than it has"
        case .otherWriter(let position):
            "the entry at position \(position.number) of the cloud container's log was not signed by the device in whose name it is"
        }
    }

    private static func quoted(_ name: String) -> String { "'\(name.filter { !$0.isNewline })'" }
}
