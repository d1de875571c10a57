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

    @OptionGroup var newPassphrase: NewPassphraseOption

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let container = try EncryptedContainer(of: mount)
            let told = try newPassphrase.told()
            if rotate { try change(container, told) } else { try takeOver(container, told) }
        }
    }

    private func change(_ container: EncryptedContainer, _ told: Passphrase?) throws {
        let change = KeyChange(container)
        try change.carryOut(
            told,
            because: "The container has a new key for all that comes, and the former recovery key opens nothing of it.")
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
