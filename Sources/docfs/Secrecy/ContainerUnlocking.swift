import CloudSynchronization
import Dispatch
import Encryption
import ObjectStore

/// Opens the container of a mount: plain, encrypted with a key that the store has, or one that is made or joined with a passphrase.
struct ContainerUnlocking {
    /// The container, nil for a plain one, and what a person is told of it.
    typealias Opened = (store: EncryptedStore?, news: MountNews)

    private static let timeout = DispatchTimeInterval.seconds(10)
    /// A mount that needs no answer waits no longer for one.
    private static let shortTimeout = DispatchTimeInterval.seconds(2)

    let request: MountRequest
    /// Whether the store has met its container.
    let belongsToContainer: Bool

    /// Blocks. Called on the mounting thread, which runs no task.
    ///
    /// - Parameter store: what the keeper sees.
    func open(_ store: any ObjectStore) throws -> Opened {
        var keys = try ContainerKeyFile(ofStore: request.storePath)
        let known = keys.entry(at: request.cloud)
        // A move goes to what is there now, whatever was there once.
        if let known, known.isEstablished, !request.movesToOtherCloud {
            return opened(store, try unlocked(known, in: store))
        }
        // An encrypted one was to be made there before, by a mount that was interrupted.
        let wantsEncryption = request.options.encrypt ?? (known != nil)
        let isKnown = belongsToContainer && !request.mayBeOtherCloud
        // It has met the container there, which was plain.
        if isKnown, !wantsEncryption, !request.formerIsEncrypted { return (nil, MountNews()) }
        guard let found = try look(at: store, wantsEncryption) else { return (nil, MountNews()) }
        switch found {
        case .encrypted(let object):
            let own = keys.entry(for: object)
            if let own, !own.isEstablished { try finishMaking(object, in: store) }
            var opened = opened(store, try join(object, &keys))
            if own == nil, let joined = opened.store { opened.news.joined = joinedText(joined) }
            return opened
        case .plain, .nothing:
            if request.formerIsEncrypted, !request.mayBeOtherCloud {
                throw CommandFailure(Refusal.keyObjectLost(request))
            }
            guard wantsEncryption else {
                try refusePlainForEncrypted()
                return (nil, MountNews())
            }
            guard found == .nothing, !isKnown else { throw CommandFailure(Refusal.plain(request)) }
            if request.leavesFormerCloud, !request.options.moveToThisCloud {
                throw CommandFailure(Refusal.encryptedElsewhere(request))
            }
            return opened(store, try make(in: store, &keys))
        }
    }

    private func opened(_ store: any ObjectStore, _ entry: ContainerKeyFile.Entry) -> Opened {
        ProcessSecrecy.begin()
        let (path, cloud) = (request.storePath, request.cloud)
        let keys = ContainerKeys(entry.keys) { try ContainerKeyFile.change(ofStore: path, at: cloud, $0) }
        var news = MountNews()
        news.recoveryKey = entry.keys.recoveryKey
        return (EncryptedStore(store, keys: keys), news)
    }

    /// Another device may have changed the key: who gives the new passphrase now need not give it to `docfs key`. What is no passphrase of it is
    /// passed over, as with each container that this store has joined: the documents that are here are of use without it.
    private func unlocked(
        _ known: ContainerKeyFile.Entry, in store: any ObjectStore
    ) throws -> ContainerKeyFile.Entry {
        // What the desktop's keyring has is the former one, most likely.
        guard let passphrase = request.passphrase else { return known }
        let answer = blockingAnswer(within: Self.shortTimeout) { try await KeyObject.read(from: store) }
        let keyObject = try? answer?.get()
        guard known.keys.isLocked || keyObject?.wrapsKey(of: known.keys.ring) == false else { return known }
        guard let takeover = try? KeyTakeover(passphrase.text, known.keys, keyObject: keyObject) else { return known }
        var entry = known
        entry.keys = try ContainerKeyFile.change(ofStore: request.storePath, at: request.cloud) {
            takeover.apply(to: &$0)
        }
        return entry
    }

    /// That the end of the log cannot be had now is no reason not to mount.
    private func joinedText(_ store: any ObjectStore) -> String {
        do { return MountNews.text(ofJoined: try answer { try await ContainerFounding.newestEntry(in: store) }) } catch
        {
            return MountNews.textOfUnknown
        }
    }

    /// What would go to a plain container was meant to be encrypted.
    private func refusePlainForEncrypted() throws(CommandFailure) {
        if request.options.encrypt == false { return }
        if request.formerIsEncrypted { throw CommandFailure(Refusal.leavesSecrecy(request)) }
        if request.passphrase != nil { throw CommandFailure(Refusal.noEncryptedOne(request)) }
    }

    // MARK: What is there

    /// - Returns: nil for a place that does not answer, where a plain container is expected: it is made or joined when it answers, and an
    ///   encrypted one is told from it then.
    private func look(
        at store: any ObjectStore, _ wantsEncryption: Bool
    ) throws -> ContainerFounding.Found? {
        do { return try answer { try await Self.probe(store) } } catch ObjectStoreError.gone
            where request.options.moveToThisCloud || request.leavesFormerCloud
        {
            // A folder that was not used yet. A move makes it a container.
            return .nothing
        } catch {
            if wantsEncryption || request.formerIsEncrypted || request.passphrase != nil {
                throw failure(error)
            }
            return nil
        }
    }

    private static func probe(_ store: any ObjectStore) async throws(ObjectStoreError) -> ContainerFounding.Found {
        // Some servers make a bucket with its first object, and know of none before.
        try await store.probe()
        return try await ContainerFounding.look(at: store)
    }

    // MARK: Its key

    private func join(_ object: KeyObject, _ keys: inout ContainerKeyFile) throws -> ContainerKeyFile.Entry {
        let known = keys.entry(for: object)
        // The keeper may have made another one of what everybody can read in it: then the recovery key would open it no more.
        var kept: KeptKeys
        if let known {
            kept = known.keys
            if object.continues(kept.object) { try kept.replace(object) }
        } else {
            kept = KeptKeys(ring: try unwrap(object), object: object)
        }
        let entry = ContainerKeyFile.Entry(cloud: request.cloud.text, keys: kept, isEstablished: true)
        try keys.remember(entry, at: request.cloud)
        return entry
    }

    private func unwrap(_ object: KeyObject) throws -> KeyRing {
        guard let passphrase = request.passphrase ?? Keyring.passphrase(of: request.cloud) else {
            throw MissingPassphrase.join
        }
        do throws(KeyObject.Refusal) { return try object.unwrapAll(passphrase.text) } catch {
            // The keyring's was changed since. A person knows the new one.
            if error == .wrongPassphrase, request.passphrase == nil { throw MissingPassphrase.join }
            throw refusal(error)
        }
    }

    private func refusal(_ error: KeyObject.Refusal) -> CommandFailure {
        switch error {
        case .wrongPassphrase: CommandFailure(Refusal.wrongPassphrase(request, error))
        case .damaged: CommandFailure("\(error) (\(request.cloud.text))")
        }
    }

    /// Makes a key, and remembers it before the container gets it: whenever this is interrupted, the key that is in the container, and its
    /// recovery key, are known here.
    private func make(in store: any ObjectStore, _ keys: inout ContainerKeyFile) throws -> ContainerKeyFile.Entry {
        guard let passphrase = request.passphrase ?? Keyring.passphrase(of: request.cloud) else {
            throw MissingPassphrase.new
        }
        let interrupted = keys.entry(at: request.cloud).flatMap { $0.isEstablished ? nil : $0 }
        let key = interrupted?.keys.ring.newest.key ?? .random()
        let recoveryKey = interrupted?.keys.recoveryKey ?? .random()
        let object = try KeyObject(wrapping: key, passphrase: passphrase.text, recoveryKey: recoveryKey)
        let entry = ContainerKeyFile.Entry(
            cloud: request.cloud.text,
            keys: KeptKeys(ring: KeyRing(key), object: object, recoveryKey: recoveryKey), isEstablished: false)
        try keys.remember(entry, at: request.cloud)
        let present: KeyObject?
        do {
            present = try answer { [moves = request.options.moveToThisCloud] in
                if moves { try await store.recreate() }
                return try await ContainerFounding.makeEncrypted(object, in: store)
            }
        } catch { throw failure(error) }
        guard let present else { throw CommandFailure(Refusal.plain(request)) }
        // Another device may have made the container in this moment: then its key counts.
        return try join(present, &keys)
    }

    /// A mount that was interrupted may have left one copy of its key object, and may not have looked for a plain container.
    private func finishMaking(_ object: KeyObject, in store: any ObjectStore) throws {
        // Who gives another passphrase now is told, and may change it when the container is open.
        if request.passphrase != nil { _ = try unwrap(object) }
        let present: KeyObject?
        do { present = try answer { try await ContainerFounding.makeEncrypted(object, in: store) } } catch {
            throw failure(error)
        }
        if present == nil { throw CommandFailure(Refusal.plain(request)) }
    }

    private func failure(_ error: any Error) -> CommandFailure {
        CommandFailure("an encrypted container can be made or joined only when it answers: \(error)")
    }

    private func answer<Value: Sendable>(_ question: @escaping @Sendable () async throws -> Value) throws -> Value {
        guard let result = blockingAnswer(within: Self.timeout, question) else {
            throw ObjectStoreError.unreachable("\(request.cloud.text) does not answer")
        }
        return try result.get()
    }
}

/// Why a container is not opened, in one line for a person.
private enum Refusal {
    static func encryptedElsewhere(_ request: MountRequest) -> String {
        "the store \(request.storePath) belongs to the container at \(request.formerCloud?.text ?? ""); with --move-to-this-cloud its documents go to a new encrypted one"
    }

    static func plain(_ request: MountRequest) -> String {
        "the container at \(request.cloud.text) is not encrypted, and stays so; --encrypt makes a new one at another --cloud URL, and with --move-to-this-cloud the documents go there"
    }

    static func keyObjectLost(_ request: MountRequest) -> String {
        "the container of the store \(request.storePath) is encrypted, and at \(request.cloud.text) there is none that is; another device that has it can make it whole with `docfs check --repair`"
    }

    static func leavesSecrecy(_ request: MountRequest) -> String {
        "the documents of the store \(request.storePath) are in an encrypted container, and at \(request.cloud.text) there is none; with --encrypt they go to a new encrypted one, with --no-encrypt to a plain one"
    }

    static func noEncryptedOne(_ request: MountRequest) -> String {
        "a passphrase was given, and at \(request.cloud.text) there is no encrypted container; --encrypt makes one, and --no-encrypt means a plain one"
    }

    static func wrongPassphrase(_ request: MountRequest, _ error: KeyObject.Refusal) -> String {
        "what was given is \(error) at \(request.cloud.text); try again, or use the recovery key"
    }
}
