/// Keys that another device has given the container, opened with what a person says.
public enum KeyTakeover {
    /// All of them, as the container's key object holds them.
    case all(KeyRing, KeyObject)
    /// The one that this device has met in the log.
    case next(ContainerKey)

    /// - Parameters:
    ///   - secret: the passphrase, or the recovery key as a text. Trying it takes long.
    ///   - keyObject: as it is in the container now; nil where that cannot be had.
    /// - Returns: nil where there is nothing to take over: the key object is that of another container.
    /// - Throws: `wrongPassphrase` for a former one, too: whoever was shut out knows it, and could have made another key with it.
    public init?(_ secret: String, _ kept: KeptKeys, keyObject: KeyObject?) throws(KeyObject.Refusal) {
        if (try? kept.object.unwrap(secret)) != nil { throw .wrongPassphrase }
        var refusal: KeyObject.Refusal?
        if let keyObject, !keyObject.wraps(kept.ring.newest.key) {
            do throws(KeyObject.Refusal) {
                let ring = try keyObject.unwrapAll(secret)
                if kept.ring.isBeginning(of: ring) {
                    self = .all(ring, keyObject)
                    return
                }
            } catch { refusal = error }
        }
        // Its passphrase may be that of a moment ago, which the key object does not have any more.
        do throws(KeyObject.Refusal) {
            if let key = try kept.metKey(secret) {
                self = .next(key)
                return
            }
        } catch { throw refusal ?? error }
        if let refusal { throw refusal }
        return nil
    }

    /// Keeps them.
    public func apply(to kept: inout KeptKeys) {
        switch self {
        case .all(let ring, let object): _ = kept.adopt(ring, object)
        case .next(let key): kept.unlock(key)
        }
    }
}
