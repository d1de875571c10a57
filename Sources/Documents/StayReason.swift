/// Why the content of a document must stay on this device.
public enum StayReason: Sendable, Equatable, CaseIterable {
    /// A document of `local` is nowhere else.
    case local
    /// A person wants it to be always here (`user.document.keep`).
    case kept
    /// A program has it open, or mapped into its memory.
    case open
    /// The container has not been told all of its changes.
    case unsent
    /// The container is not known to have the content that is here.
    case notInContainer
    /// Its file belongs to another user. Owners are kept on this device only, and a placeholder has none.
    case owned
    /// Whether the container still has the content cannot be known now.
    case cloudUnreachable

    /// In one line, as the end of a sentence that begins with the document.
    public var text: String {
        switch self {
        case .local: "it is a document of local, which is nowhere else"
        case .kept: "it is kept here; `docfs keep --off` ends that"
        case .open: "a program has it open"
        case .unsent: "its changes are not in the cloud yet; `cat F.state` tells when they are"
        case .notInContainer: "the cloud is not known to have this content"
        case .owned: "its file belongs to another user, which is known here only"
        case .cloudUnreachable: "the cloud cannot be reached, so it is not known to have this content"
        }
    }
}

/// The facts that decide whether the content of a document may be dropped from this device.
public struct ContentFacts: Sendable, Equatable {
    /// Whether it is a document of `local`.
    public var isLocal = false
    /// Whether it, or a folder above it, is marked as always here.
    public var isKept = false
    /// Whether a program has it open or mapped into its memory.
    public var isOpen = false
    /// Whether any change waits to be sent.
    public var isUnsent = false
    /// Whether a commit names the version in the file, and the file is as that version was.
    public var isInContainer = true
    /// Whether its file belongs to another user than the one who mounts.
    public var isOwnedByOther = false
    /// Whether the container can be asked now.
    public var isCloudReachable = true

    /// The facts of a document that may be dropped.
    public init() {}

    /// Nil if it may be dropped.
    public var reasonToStay: StayReason? {
        if isLocal { return .local }
        if isUnsent { return .unsent }
        if isOpen { return .open }
        if isKept { return .kept }
        if !isInContainer { return .notInContainer }
        if isOwnedByOther { return .owned }
        return isCloudReachable ? nil : .cloudUnreachable
    }
}
