import Documents

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
        /// Where the log announces it; nil for one that was not met there.
        let start: Int64?
        /// The devices from which one that was made here is to be kept; nil for none.
        var removed: [DeviceID]?

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
    ///
    /// - Parameter removed: the devices from which it is to be kept.
    public mutating func offer(
        _ key: ContainerKey, _ object: KeyObject, _ recoveryKey: RecoveryKey, removing removed: [DeviceID] = []
    ) {
        // Whom an offer removes that did not come through is removed by this one.
        let all = Set(removed).union(successors.flatMap { $0.removed ?? [] }).sorted()
        successors.append(
            Successor(
                object: object, key: key, recoveryKey: recoveryKey, start: nil, removed: all.isEmpty ? nil : all))
    }

    /// The key that was offered last, as the entry at a position of the log is to announce it; nil if none was.
    func proposal(at position: Int64) -> (key: ContainerKey, object: KeyObject, removed: [DeviceID])? {
        guard let last = successors.last, last.isOffer, let key = last.key,
            let next = ring.adding(key, after: position)
        else { return nil }
        return (key, last.object.holding(next), last.removed ?? [])
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
            meet(announced, at: position)
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
    ///
    /// - Parameter position: where the log announces it; nil where only the container's key object tells.
    mutating func meet(_ object: KeyObject, at position: Int64? = nil) {
        // The log says it, and a key object, which everybody can replace, says nothing against that.
        let isAnnounced = successors.contains { $0.key == nil && $0.start != nil }
        if position == nil, isAnnounced { return }
        let met = Successor(object: object, key: nil, recoveryKey: nil, start: position)
        if successors.contains(met) { return }
        successors.removeAll { $0.key == nil }
        // First, so that it does not stand for what was offered last.
        successors.insert(met, at: 0)
    }

    /// Whether only a key object told of another key, so that it is to be looked at again.
    public var isLockedByKeyObject: Bool { successors.contains { $0.key == nil && $0.start == nil } }

    /// Forgets what only a key object told, which has gone: the disk or the container of somebody else was in the place of this one.
    mutating func forgetUnannounced() { successors.removeAll { $0.key == nil && $0.start == nil } }

    /// Takes over what the container's key object holds.
    ///
    /// - Returns: false where it is not that of this container, or holds no newer key.
    mutating func adopt(_ ring: KeyRing, _ object: KeyObject) -> Bool {
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
    func metKey(_ secret: String) throws(KeyObject.Refusal) -> ContainerKey? {
        guard let met = successors.first(where: { $0.key == nil }) else { return nil }
        return try met.object.unwrap(secret)
    }

    /// Keeps the key that was met: it is followed where the log announces it. What was offered here before is not wanted any more.
    mutating func unlock(_ key: ContainerKey) {
        successors.removeAll(where: \.isOffer)
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
