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
        /// Of one that was made here.
        let recoveryKey: RecoveryKey?

        var isOffer: Bool { recoveryKey != nil }
    }

    public init(ring: KeyRing, object: KeyObject, recoveryKey: RecoveryKey? = nil) {
        self.ring = ring
        self.object = object
        self.recoveryKey = recoveryKey
    }

    /// The same with another passphrase.
    ///
    /// - Throws: `damaged` for an object of another key: it was changed meanwhile.
    public mutating func replace(_ object: KeyObject) throws(KeyObject.Refusal) {
        guard object.wraps(ring.newest.key) else { throw .damaged("the container's key was changed meanwhile") }
        self.object = object
    }

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
        successors.append(Successor(object: object, key: key, recoveryKey: recoveryKey))
    }

    /// The key that was offered last, as the entry at a position of the log is to announce it; nil if none was.
    func proposal(at position: Int64) -> (key: ContainerKey, object: KeyObject)? {
        guard let last = successors.last, last.isOffer, let key = last.key,
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
        guard let index = successors.lastIndex(where: { $0.key.map(announced.wraps) == true }),
            let key = successors[index].key
        else {
            meet(announced)
            return .locked
        }
        guard let next = ring.adding(key, after: position), announced.ring(with: key) == next else {
            return .impossible
        }
        // Who offered another one after this one wants that; who was told of another device's wants that.
        let later = successors[index].isOffer ? successors[(index + 1)...].filter(\.isOffer) : []
        self = KeptKeys(ring: next, object: announced, recoveryKey: successors[index].recoveryKey)
        isUnpublished = true
        successors = later
        return .known
    }

    /// Notes that the container goes on under another key than those that are here.
    mutating func meet(_ object: KeyObject) {
        if successors.contains(where: { $0.key == nil && $0.object == object }) { return }
        successors.removeAll { $0.key == nil }
        // First, so that it does not stand for what was offered last.
        successors.insert(Successor(object: object, key: nil, recoveryKey: nil), at: 0)
    }

    /// Takes over what the container's key object holds.
    ///
    /// - Returns: false where it is not that of this container, or holds no newer key.
    public mutating func adopt(_ ring: KeyRing, _ object: KeyObject) -> Bool {
        guard self.ring.isBeginning(of: ring), self.ring != ring else { return false }
        self = KeptKeys(ring: ring, object: object)
        return true
    }

    /// Whether the log goes on under a key whose passphrase was not said here.
    public var isLocked: Bool { successors.contains { $0.key == nil } }

    /// The key that was met.
    ///
    /// - Parameter secret: its passphrase, or its recovery key as a text. Trying it takes long.
    /// - Returns: nil if none was met.
    public func metKey(_ secret: String) throws(KeyObject.Refusal) -> ContainerKey? {
        guard let met = successors.first(where: { $0.key == nil }) else { return nil }
        return try met.object.unwrap(secret)
    }

    /// Keeps the key that was met: it is followed where the log announces it.
    public mutating func unlock(_ key: ContainerKey) {
        for index in successors.indices where successors[index].key == nil && successors[index].object.wraps(key) {
            successors[index].key = key
        }
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
