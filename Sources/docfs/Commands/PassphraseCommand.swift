import ArgumentParser
import CloudSynchronization
import Dispatch
import Encryption
import ObjectStore

struct PassphraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase", abstract: "Change the passphrase of an encrypted container.",
        discussion: """
            The container keeps its key, and nothing is sent again: devices that have joined go on, and the recovery key stays. Who joins from now on \
            needs the new passphrase. Somebody who knew the old one, and has a copy of the container's key objects from before, can still read \
            the container with it.

            The new passphrase is asked for twice on a terminal, or taken from --passphrase-file or DOCFS_PASSPHRASE.

            Example: docfs passphrase ~/docs
            """)

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @OptionGroup var newPassphrase: NewPassphraseOption

    private static let timeout = DispatchTimeInterval.seconds(60)

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let container = try EncryptedContainer(of: mount)
            if container.keys.isUnpublished {
                throw CommandFailure(
                    "its key was just changed, and the container does not have all of that yet; try again")
            }
            let told = try newPassphrase.told()
            let passphrase = try told ?? Passphrase.asked(.other)
            try passphrase.requireNoRecoveryKey()
            let object = try Self.replace(container.keys, passphrase, at: container.url)
            try container.change { try $0.replace(object) }
        }
    }

    /// - Returns: the new key object.
    private static func replace(
        _ keys: KeptKeys, _ passphrase: Passphrase, at url: CloudURL
    ) throws -> KeyObject {
        let objects = try CloudConnection.keptObjects(at: url)
        let result = blockingAnswer(within: timeout) {
            guard try await KeyObject.read(from: objects) != nil else {
                throw CommandFailure(
                    "the container at \(url.text) has lost its key objects; make it whole first: docfs check --repair")
            }
            // Of what this device knows: the keeper may have changed what is there.
            let object = try keys.object.wrapping(keys.ring.newest.key, passphrase: passphrase.text)
            try await object.replace(in: objects)
            return object
        }
        guard let result else {
            throw CommandFailure("\(url.text) does not answer; the passphrase is the old one, or the new one")
        }
        return try result.get()
    }
}
