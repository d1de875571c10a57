import Glibc
import ObjectStore
import SystemPackage

/// `docfs encrypt`: the documents of a mount go from a plain container to a new encrypted one. Each step can be repeated, so that an interrupted
/// one goes on where it was.
struct EncryptingMove {
    private let mount: MountedTree
    private let store: String
    private let former: CloudURL
    private let target: CloudURL
    private let running: RunningMount

    /// - Parameter told: where the new container is to be; nil for beside the present one.
    /// - Returns: nil where the container is encrypted already.
    init?(of mount: MountedTree, to told: CloudURL?) throws {
        guard let store = mount.store, let url = try StoreOptions(ofStore: store).cloud else {
            throw CommandFailure("the store of \(mount.mountpoint) cannot be found")
        }
        self.mount = mount
        self.store = store
        former = try CloudURL(url)
        let remembered = try StoreOptions(ofStore: store)
        if remembered.isEncrypted == true { return nil }
        guard let target = told ?? former.beside("-encrypted") else {
            throw CommandFailure("the container is a whole bucket; say where the new one is to be with --to URL")
        }
        if target.isSamePlace(as: former) {
            throw CommandFailure(
                "the container at \(former.text) is not encrypted, and stays so; say another place with --to URL")
        }
        self.target = target
        running = try RunningMount(mount)
    }

    /// What a person should know when it is done.
    var farewell: String {
        """
        The documents are in the encrypted container at \(target.text) now.
        The former one at \(former.text) is left as it is. Take your other devices over, each with the passphrase:

            docfs unmount MOUNTPOINT; docfs mount MOUNTPOINT --cloud \(target.text) --move-to-this-cloud

        and then remove the former one: whoever keeps it can still read it.
        """
    }

    /// - Parameter passphrase: asked for unless the documents are on their way already.
    func run(_ passphrase: () throws -> Passphrase) throws {
        if try !isUnderWay() {
            try requireNoConflict()
            try makeFolder()
            let passphrase = try passphrase()
            try fetchWhatIsInTheCloudOnly()
            try mountAgain(passphrase)
        }
        do { try WaitCommand.wait(for: mount) } catch let refusal as CommandFailure {
            // The person is not left with a mount that goes nowhere.
            try MountEnding.end(mount, evenInUse: true)
            _ = try BackgroundMount.start(arguments: running.arguments + ["--cloud", former.text], passphrase: nil)
            throw refusal
        }
    }

    private func state() throws -> StateText { StateText(try OpenStateFile(ofFolder: mount.documents).text()) }

    private func isUnderWay() throws -> Bool { try state()["cloud.url"] == target.text }

    /// The other versions are in the former container only.
    private func requireNoConflict() throws {
        guard let count = try state()["cloud.conflicts"].flatMap({ Int($0) }), count > 0 else { return }
        throw CommandFailure(
            "choose first among the versions of \(HumanText.count(count, "document")) in conflict, with `docfs resolve`; then encrypt"
        )
    }

    /// A container in a folder needs the folder: a mount makes none, which may be a disk that is away.
    private func makeFolder() throws {
        guard case .directory(let path) = target, mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw CommandFailure(
            "the folder \(path) cannot be made: \(Errno(rawValue: errno)); say another place with --to URL")
    }

    private func fetchWhatIsInTheCloudOnly() throws {
        try ContentDownload(try CloudDocument.all(at: mount.documents + "/cloud")).run()
    }

    private func mountAgain(_ passphrase: Passphrase) throws {
        try MountEnding.end(mount, evenInUse: false)
        running.adoptEnvironment()
        do {
            let recoveryKey = try BackgroundMount.start(
                arguments: running.arguments + ["--cloud", target.text, "--move-to-this-cloud", "--encrypt"],
                passphrase: passphrase)
            if let recoveryKey { try RecoveryKeyNotice.tell(recoveryKey, ofStore: store) }
        } catch {
            // As it was before.
            _ = try BackgroundMount.start(arguments: running.arguments, passphrase: nil)
            throw error
        }
    }
}
