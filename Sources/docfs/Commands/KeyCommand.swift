import ArgumentParser
import Encryption
import Filesystem
import ObjectStore

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Change the key of an encrypted container, or take over a changed one.",
        discussion: """
            With --rotate the container gets a new key for all that is written from now on, under a new passphrase and with a new recovery key, \
            which is printed once: when a device was lost, or somebody else knows the passphrase. Nothing is sent again. Whoever has the former \
            key can still read what was written until now, if the keeper or a copy lets him, and nothing of what comes.

            Your other devices then say in `.state` that the key was changed, and send nothing. Without --rotate `docfs key` takes the new \
            passphrase there, and they go on.

            The new passphrase is asked for on a terminal, or taken from --passphrase-file or DOCFS_PASSPHRASE.

            Examples:
              docfs key --rotate ~/docs
              docfs key ~/docs
            """)

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @Flag(help: "Give the container a new key.")
    var rotate = false

    @Option(
        help: "A file whose first line is the new passphrase. (default: $DOCFS_PASSPHRASE, or asked for on a terminal)")
    var passphraseFile: String?

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let container = try EncryptedContainer(of: mount)
            let told = try Passphrase.told(file: passphraseFile, descriptor: nil)
            if rotate { try change(container, told) } else { try takeOver(container, told) }
        }
    }

    private func change(_ container: EncryptedContainer, _ told: Passphrase?) throws {
        let present = try container.keyObject()
        if container.isLeftBehind(present) {
            throw CommandFailure("its key was changed on another device; `docfs key` takes the new passphrase")
        }
        let passphrase = try told ?? Passphrase.asked(.other)
        try passphrase.requireNoRecoveryKey()
        // Another device may have changed it since.
        for object in [container.keys.object, present].compactMap(\.self) {
            if (try? object.unwrap(passphrase.text)) != nil {
                throw CommandFailure("that is the passphrase of now, which a lost device may know; choose another one")
            }
        }
        let (key, recoveryKey) = (ContainerKey.random(), RecoveryKey.random())
        let object = try KeyObject(wrapping: key, passphrase: passphrase.text, recoveryKey: recoveryKey)
        try container.change { $0.offer(key, object, recoveryKey) }
        let outcome = Result { try container.follow("changing the key") }
        // It may count although something failed after that, or although nobody heard the answer.
        guard try container.keysNow().ring.newest.key == key else {
            try outcome.get()
            throw CommandFailure("another device changed the key in this moment; `docfs key` takes its passphrase")
        }
        try RecoveryKeyNotice.tell(
            recoveryKey, ofStore: container.store,
            because: "The container has a new key for all that comes, and the former recovery key opens nothing of it.")
        try Output.line("On each of your other devices say the new passphrase with `docfs key`.")
        if case .failure(let error) = outcome {
            throw CommandFailure("the key was changed, and what a new device needs of it is sent later: \(error)")
        }
    }

    private func takeOver(_ container: EncryptedContainer, _ told: Passphrase?) throws {
        let present = try container.keyObject()
        guard container.isLeftBehind(present) else {
            return try Output.line("This device has the container's key. `docfs key --rotate` changes it.")
        }
        let passphrase = try told ?? Passphrase.asked(.join)
        let takeover: KeyTakeover?
        do throws(KeyObject.Refusal) {
            takeover = try KeyTakeover(passphrase.text, container.keys, keyObject: present)
        } catch { throw CommandFailure("what was given is \(error); nothing was done") }
        guard let takeover else {
            throw CommandFailure(
                "another encrypted container has been made in the place of this one; mount with another --cloud URL and --move-to-this-cloud"
            )
        }
        try container.change { takeover.apply(to: &$0) }
        try container.follow("taking the key over")
    }
}
