import Encryption
import Glibc
import ObjectStore
import SystemPackage

/// `docfs encrypt`: the documents of a mount go from a plain container to a new encrypted one. Each step can be repeated, so that an interrupted
/// one goes on where it was.
struct EncryptingMove {
    private let mount: MountedTree
    private let store: String
    private let former: CloudURL
    let target: CloudURL
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
            throw CommandFailure(
                "the container is a whole bucket; say with --to URL where, in another bucket, the new one is to be")
        }
        if target.overlaps(former) {
            throw CommandFailure(
                "\(target.text) lies where the container at \(former.text) is, which is not encrypted, and stays so; say another place with --to URL"
            )
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

    /// - Parameter passphrase: asked for where a container is to be made.
    func run(_ passphrase: () throws -> Passphrase) throws {
        running.adoptEnvironment()
        if try !isUnderWay() {
            try requireReadiness()
            try makeFolder()
            let known = try isMade() ? nil : passphrase()
            try fetchWhatIsInTheCloudOnly()
            try mountAgain { try known ?? passphrase() }
        }
        do { try WaitCommand.wait(for: mount) } catch let refusal as CommandFailure {
            do { try goBack() } catch { CommandFailure.print(error: "\(error)") }
            throw refusal
        }
    }

    /// What the store remembers from the moment on in which all is in the new container.
    private func hasArrived() throws -> Bool {
        let remembered = try StoreOptions(ofStore: store)
        return try remembered.isEncrypted == true && remembered.belongs(to: target)
    }

    /// The person is not left with a mount that goes nowhere. Where programs use it, it stays, and goes on trying.
    private func goBack() throws {
        if try hasArrived() { return }
        try MountEnding.end(mount, evenInUse: false, within: Self.patience)
        _ = try start(["--cloud", former.text])
    }

    /// Seconds. The mount may be finishing what it does.
    private static let patience: Int32 = 60

    private func state() throws -> StateText { StateText(try OpenStateFile(ofFolder: mount.documents).text()) }

    private func isUnderWay() throws -> Bool { try state()["cloud.url"] == target.text }

    /// What is in the former container only must be to be had: versions in conflict are not, and nothing while it does not answer.
    private func requireReadiness() throws {
        let state = try state()
        if let count = state["cloud.conflicts"].flatMap({ Int($0) }), count > 0 {
            throw CommandFailure(
                "choose first among the versions of \(HumanText.count(count, "document")) in conflict, with `docfs resolve`; then encrypt"
            )
        }
        if let connection = state["cloud.connection"], connection != "online" {
            throw CommandFailure("the cloud must be online for that, and is not: \(connection)")
        }
    }

    /// Whether an earlier try has made the container. It has the passphrase that was said then.
    private func isMade() throws -> Bool {
        try ContainerKeyFile(ofStore: store).entry(at: target)?.isEstablished == true
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

    private func mountAgain(_ passphrase: () throws -> Passphrase) throws {
        try MountEnding.end(mount, evenInUse: false, within: Self.patience)
        let news: MountNews
        do { news = try mountWithNewContainer(passphrase) } catch {
            // As it was before.
            _ = try start()
            throw error
        }
        if Output.isRead { try news.tell(ofStore: store) }
    }

    private func mountWithNewContainer(_ passphrase: () throws -> Passphrase) throws -> MountNews {
        let container = ["--cloud", target.text, "--move-to-this-cloud", "--encrypt"]
        if try isMade() {
            do {
                let news = try start(container)
                try Output.line(
                    "The new container was made by an earlier try, with the passphrase that was said then; `docfs passphrase` changes it."
                )
                return news
            } catch is MissingPassphrase {
                // Somebody has removed it since, or made another one there.
            }
        }
        return try start(container, try passphrase())
    }

    /// The person had a mount: who interrupts this keeps one.
    private func start(_ options: [String] = [], _ passphrase: Passphrase? = nil) throws -> MountNews {
        try BackgroundMount.start(arguments: running.arguments + options + ["--unattended"], passphrase: passphrase)
    }
}
