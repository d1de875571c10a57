import ArgumentParser
import ObjectStore

struct EncryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt", abstract: "Take your cloud documents to a new container that its keeper cannot read.",
        discussion: """
            Makes an encrypted container beside the one of the mount, and sends all cloud documents to it: what is in the cloud only is fetched first. \
            The mount ends for a moment, so no program may be using it. If this is interrupted, say it again: it goes on where it was.

            The new passphrase is asked for twice on a terminal, or taken from --passphrase-file, DOCFS_PASSPHRASE or the desktop's keyring; the recovery key is printed once. \
            The former container stays as it is, and whoever keeps it can still read it: remove it when all your devices have gone over.

            Example: docfs encrypt ~/docs
            """)

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @Option(
        help: "The new container: file:///DIR or s3://BUCKET/PREFIX. (default: beside the present one, with -encrypted)"
    )
    var to: String?

    @OptionGroup var newPassphrase: NewPassphraseOption

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let target = try to.map { url throws(CloudURLError) in try CloudURL(url) }
            guard let move = try EncryptingMove(of: mount, to: target) else {
                try RecoveryKeyNotice.tellIfUntold(of: mount)
                return try Output.line("The container of \(mount.mountpoint.printable) is encrypted already.")
            }
            let told = try newPassphrase.told()
            try move.run {
                try told ?? Keyring.passphrase(of: move.target) ?? Passphrase.asked(.new)
            }
            try RecoveryKeyNotice.tellIfUntold(of: mount)
            try Output.line(move.farewell)
        }
    }
}
