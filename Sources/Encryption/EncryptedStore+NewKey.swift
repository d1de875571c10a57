import Documents
import LinuxFiles
import ObjectStore

/// The container's key is changed (the page Secrecy, "A new key").
extension EncryptedStore {
    /// The announcement of the key that was offered last, and the container as it will be seen under it.
    ///
    /// - Parameter position: of the entry of the log that is to announce it.
    /// - Returns: nil if none was offered.
    public func announcement(
        at position: Int64
    ) throws(ObjectStoreError) -> (keyObject: [UInt8], removed: [DeviceID], store: EncryptedStore)? {
        guard let proposal = keys.kept.proposal(at: position) else { return nil }
        return (
            try proposal.object.encoded(), proposal.removed,
            EncryptedStore(keeper, keys: .inMemory(KeptKeys(ring: KeyRing(proposal.key), object: proposal.object)))
        )
    }

    /// Whether the container goes on under a key that is not here, as its key object tells. Then that is noted, durably.
    public func isLeftBehind() async throws(ObjectStoreError) -> Bool {
        let found: KeyObject?
        do throws(ObjectStoreError) { found = try await KeyObject.read(from: keeper) } catch {
            // A repair makes it again.
            guard case .corrupted = error else { throw error }
            return false
        }
        let kept = keys.kept
        let isForeign = found?.wrapsKey(of: kept.ring) == false
        if !isForeign, !kept.isLocked { return false }
        do {
            return try await onBlockingThread { [keys] in
                try keys.change { kept in
                    if let found, isForeign { kept.meet(found) } else { kept.forgetUnannounced() }
                    return kept.isLocked
                }
            }
        } catch { throw .unusable("\(error)") }
    }

    /// Puts the key object in the container that holds the newest key, in the place of the former one. One that holds it already, with another passphrase
    /// perhaps, stays.
    public func publishKeyObject() async throws(ObjectStoreError) {
        let kept = keys.kept
        try await kept.object.restore(in: keeper, of: kept.ring, replacesFormer: true)
        do { try await onBlockingThread { [keys] in try keys.change { $0.notePublished() } } } catch {
            throw .unusable("\(error)")
        }
    }
}
