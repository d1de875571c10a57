import Dispatch
import Encryption
import ObjectStore
import Replication
import Synchronization

/// Opens the container of a mount: plain, encrypted with a key that the store has, or one that is made or joined with a passphrase.
struct ContainerUnlocking {
    private static let timeout = DispatchTimeInterval.seconds(10)

    let request: MountRequest
    let passphrase: Passphrase?
    /// Whether the store has met its container.
    let belongsToContainer: Bool

    /// Blocks. Called on the mounting thread, which runs no task.
    ///
    /// - Parameter store: what the keeper sees.
    /// - Returns: the store to use, and the recovery key of a container that was made.
    func open(_ store: any ObjectStore) throws -> (store: any ObjectStore, recoveryKey: RecoveryKey?) {
        var keys = try ContainerKeyFile(ofStore: request.storePath)
        if let key = keys.key(at: request.cloud) {
            return (
                EncryptedStore(store, key: key, keyObject: keys.object(holding: key)),
                keys.untoldRecoveryKey(at: request.cloud)
            )
        }
        let wantsEncryption = request.options.encrypt
        // It has met the container there, which was plain.
        let isKnown = belongsToContainer && !request.mayBeOtherCloud
        if isKnown, !wantsEncryption { return (store, nil) }
        if wantsEncryption, request.mayBeOtherCloud, request.formerCloud != nil, !request.options.moveToThisCloud {
            throw CommandFailure(
                "the store \(request.storePath) belongs to the container at \(request.formerCloud?.text ?? ""); with --move-to-this-cloud its documents go to a new encrypted one"
            )
        }
        let found: (key: KeyObject?, isPlain: Bool)
        do { found = try wait(store, Self.look) } catch ObjectStoreError.gone where request.options.moveToThisCloud {
            // Nothing is there. The move makes the folder a container.
            found = (nil, false)
        } catch {
            if wantsEncryption || passphrase != nil { throw failure(error) }
            // A plain container is made or joined when it answers, and an encrypted one is told from it then.
            return (store, nil)
        }
        switch found.key {
        case let object?:
            let known = keys.all.first { object.wraps($0) }
            let key = try known ?? unwrapped(object)
            try keys.remember(key, in: object, at: request.cloud, inStore: request.storePath)
            return (EncryptedStore(store, key: key, keyObject: object), nil)
        case nil where !wantsEncryption: return (store, nil)
        case nil where found.isPlain: throw CommandFailure(plain)
        case nil: return try made(in: store, &keys)
        }
    }

    private func made(
        in store: any ObjectStore, _ keys: inout ContainerKeyFile
    ) throws -> (store: any ObjectStore, recoveryKey: RecoveryKey?) {
        guard let passphrase else { throw MissingPassphrase.new }
        let (key, recoveryKey) = (ContainerKey.random(), RecoveryKey.random())
        let object = try KeyObject(wrapping: key, passphrase: passphrase.text, recoveryKey: recoveryKey)
        let present: KeyObject
        do {
            present = try wait(store) { [moves = request.options.moveToThisCloud] store throws(ObjectStoreError) in
                if moves { try await store.recreate() }
                return try await object.establish(in: store)
            }
        } catch { throw failure(error) }
        // Another device may have made the container in this moment: then its key counts.
        let isOwn = present.wraps(key)
        let counting = isOwn ? key : try unwrapped(present)
        let told = isOwn ? recoveryKey : nil
        try keys.remember(counting, in: present, told, at: request.cloud, inStore: request.storePath)
        return (EncryptedStore(store, key: counting, keyObject: present), told)
    }

    private func unwrapped(_ object: KeyObject) throws -> ContainerKey {
        guard let passphrase else { throw MissingPassphrase.join }
        do throws(KeyObject.Refusal) { return try object.unwrap(passphrase.text) } catch {
            switch error {
            case .wrongPassphrase:
                throw CommandFailure(
                    "what was given is \(error) at \(request.cloud.text); try again, or use the recovery key")
            case .damaged: throw CommandFailure("\(error) (\(request.cloud.text))")
            }
        }
    }

    private static func look(_ store: any ObjectStore) async throws(ObjectStoreError) -> (
        key: KeyObject?, isPlain: Bool
    ) {
        // Some servers make a bucket with its first object, and know of none before.
        try await store.probe()
        if let object = try await KeyObject.read(from: store) { return (object, false) }
        do throws(LogError) { return (nil, try await ContainerIdentity.read(from: store) != nil) } catch {
            // A damaged one is one.
            guard case .store(let reason) = error else { return (nil, true) }
            throw reason
        }
    }

    private var plain: String {
        "the container at \(request.cloud.text) is not encrypted, and stays so; --encrypt makes a new one at another --cloud URL, and with --move-to-this-cloud the documents go there"
    }

    private func failure(_ error: any Error) -> CommandFailure {
        CommandFailure("an encrypted container can be made or joined only when it answers: \(error)")
    }

    /// Waits on this thread for a task.
    private func wait<Answer: Sendable>(
        _ store: any ObjectStore,
        _ question: @escaping @Sendable (any ObjectStore) async throws(ObjectStoreError) -> Answer
    ) throws -> Answer {
        let answered = DispatchSemaphore(value: 0)
        let box = AnswerBox<Answer>()
        let task = Task {
            do throws(ObjectStoreError) { box.set(.success(try await question(store))) } catch {
                box.set(.failure(error))
            }
            answered.signal()
        }
        defer { task.cancel() }
        guard answered.wait(timeout: .now() + Self.timeout) == .success, let result = box.value else {
            throw ObjectStoreError.unreachable("\(request.cloud.text) does not answer")
        }
        return try result.get()
    }
}

private final class AnswerBox<Answer: Sendable>: Sendable {
    private let answer = Mutex<Result<Answer, ObjectStoreError>?>(nil)

    func set(_ result: Result<Answer, ObjectStoreError>) { answer.withLock { $0 = result } }

    var value: Result<Answer, ObjectStoreError>? { answer.withLock { $0 } }
}
