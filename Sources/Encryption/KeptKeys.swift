/// What a device keeps of the keys of its container.
public struct KeptKeys: Sendable, Equatable {
    public private(set) var ring: KeyRing
    /// Holds them for others, under the passphrase.
    public private(set) var object: KeyObject
    /// Until a person was told.
    public private(set) var recoveryKey: RecoveryKey?
    /// Whether the container may lack what a newcomer needs since the key was changed: the key object, and a checkpoint.
    public private(set) var isUnpublished = false
    /// What may become the next key: made here, or met in the log.
    private var successors: [Successor] = []

    private struct Successor: Sendable, Equatable, Codable {
        let object: KeyObject
        /// Nil for one of another device, until somebody says its passphrase.
        var key: ContainerKey?
        let recoveryKey: RecoveryKey?
        /// Where it was met.
        let start: Int64?
    }

    public init(ring: KeyRing, object: KeyObject, recoveryKey: RecoveryKey? = nil) {
        self.ring = ring
        self.object = object
        self.recoveryKey = recoveryKey
    }

    /// The same with another passphrase.
    public mutating func replace(_ object: KeyObject) { self.object = object }

    /// A person was told it.
    public mutating func forget(_ recoveryKey: RecoveryKey) {
        if self.recoveryKey == recoveryKey { self.recoveryKey = nil }
    }

    /// A newcomer has all that it needs.
    public mutating func notePublished() { isUnpublished = false }

    // MARK: A new key

    /// Keeps a key that is to follow. Until the log has it nothing changes. One that was offered before stays: it may be in the log already, though
    /// nobody here was told.
    public mutating func offer(_ key: ContainerKey, _ object: KeyObject, _ recoveryKey: RecoveryKey) {
        successors.append(Successor(object: object, key: key, recoveryKey: recoveryKey, start: nil))
    }

    /// The key that was offered last, as the entry at a position of the log is to announce it; nil if none was.
    func proposal(at position: Int64) -> (key: ContainerKey, object: KeyObject)? {
        guard let last = successors.last, let key = last.key, last.start == nil,
            let next = ring.adding(key, after: position)
        else { return nil }
        return (key, last.object.holding(next))
    }

    /// What an entry of the log that announces a key means to this device.
    public enum Announcement: Sendable, Equatable {
        /// The key is here.
        case known
        /// It is another device's, and nobody has said its passphrase here.
        case locked
        /// No device that keeps the rules announces such a one here.
        case impossible
    }

    /// Takes over the key that the entry at a position announces, if it is here.
    public mutating func follow(_ announced: KeyObject, at position: Int64) -> Announcement {
        if let period = ring.periods.dropFirst().first(where: { $0.start == position }) {
            return announced.wraps(period.key) ? .known : .impossible
        }
        guard position > ring.newest.start else { return .impossible }
        guard let successor = successors.last(where: { $0.key.map(announced.wraps) == true }), let key = successor.key
        else {
            successors.removeAll { $0.key == nil }
            // First, so that it does not stand for what was offered last.
            successors.insert(Successor(object: announced, key: nil, recoveryKey: nil, start: position), at: 0)
            return .locked
        }
        guard let next = ring.adding(key, after: position), announced.ring(with: key) == next else {
            return .impossible
        }
        self = KeptKeys(ring: next, object: announced, recoveryKey: successor.recoveryKey)
        isUnpublished = true
        return .known
    }

    /// Whether the log goes on under a key whose passphrase was not said here.
    public var isLocked: Bool { successors.contains { $0.key == nil } }

    /// Opens the key that was met in the log.
    ///
    /// - Parameter secret: its passphrase, or its recovery key as a text.
    /// - Returns: false if none was met.
    public mutating func unlock(_ secret: String) throws(KeyObject.Refusal) -> Bool {
        guard let index = successors.firstIndex(where: { $0.key == nil }) else { return false }
        successors[index].key = try successors[index].object.unwrap(secret)
        return true
    }
}

/// One object, as in stores from before keys could be changed: `key`, `object` and `recoveryKey`, and the rest where there is any.
extension KeptKeys: Codable {
    private enum Field: String, CodingKey { case key, start, former, object, recoveryKey, isUnpublished, successors }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Field.self)
        let former = try fields.decodeIfPresent([KeyRing.Period].self, forKey: .former) ?? []
        let newest = KeyRing.Period(
            key: try fields.decode(ContainerKey.self, forKey: .key),
            start: try fields.decodeIfPresent(Int64.self, forKey: .start) ?? 0)
        guard let ring = KeyRing(former + [newest]) else {
            throw DecodingError.dataCorruptedError(
                forKey: .former, in: fields, debugDescription: "the keys are not in their order")
        }
        self.ring = ring
        object = try fields.decode(KeyObject.self, forKey: .object)
        recoveryKey = try fields.decodeIfPresent(RecoveryKey.self, forKey: .recoveryKey)
        isUnpublished = try fields.decodeIfPresent(Bool.self, forKey: .isUnpublished) ?? false
        successors = try fields.decodeIfPresent([Successor].self, forKey: .successors) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Field.self)
        try fields.encode(ring.newest.key, forKey: .key)
        if ring.hasFormer {
            try fields.encode(ring.newest.start, forKey: .start)
            try fields.encode(ring.periods.dropLast(), forKey: .former)
        }
        try fields.encode(object, forKey: .object)
        try fields.encodeIfPresent(recoveryKey, forKey: .recoveryKey)
        if isUnpublished { try fields.encode(true, forKey: .isUnpublished) }
        if !successors.isEmpty { try fields.encode(successors, forKey: .successors) }
    }
}
