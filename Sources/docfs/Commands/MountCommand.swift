import ArgumentParser
import Documents
import Encryption
import Glibc
import Library
import Logging

struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mount your documents.",
        discussion: """
            Returns when the mount is ready, and says in one line how many documents there are, where the cloud is and whether it can be \
            reached, and which names a listing shows. `docfs unmount` ends it.

            The store remembers --cloud, --show, --filenames, --filename-prefix, --device-name and --cache-limit: what is not said \
            again stays so. A store belongs to one cloud container; another one is refused until --move-to-this-cloud says that the \
            documents are meant to go there.

            Who keeps a container can read it, unless it was made with --encrypt (the page Secrecy). Another device joins an encrypted one with \
            the passphrase or the recovery key, and a store needs it once. The desktop's keyring is asked for it where there is one: \
            `\(Keyring.storing)` puts it there.

            Examples:
              docfs mount ~/docs --cloud file:///mnt/nas/docs
              docfs mount ~/docs --cloud file:///mnt/nas/docs --encrypt
              docfs mount ~/docs
            """)

    @Argument(help: "An existing, empty folder.", completion: .directory)
    var mountpoint: String

    @OptionGroup var options: MountOptions

    @Flag(help: "Stay in the foreground and log to standard error.")
    var foreground = false

    /// The write end of the pipe on which the background process reports to the one that started it.
    @Option(help: .hidden)
    var readyDescriptor: Int32?

    /// Where the background process reads the passphrase that its parent was told: neither arguments nor environment show it.
    @Option(help: .hidden)
    var passphraseDescriptor: Int32?

    /// The mount stays even if the process that started it has ended before the mount was ready: something was mounted here before, and is
    /// mounted again.
    @Flag(help: .hidden)
    var unattended = false

    func run() throws {
        try CommandFailure.reported {
            let passphrase = try Passphrase.told(file: options.passphraseFile, descriptor: passphraseDescriptor)
            do { try mount(passphrase) } catch let missing as MissingPassphrase {
                try mount(try Passphrase.asked(missing))
            }
        }
    }

    private func mount(_ passphrase: Passphrase?) throws {
        if foreground {
            try serve(passphrase)
        } else {
            let news = try BackgroundMount.start(
                arguments: Array(CommandLine.arguments.dropFirst()), passphrase: passphrase)
            if Output.isRead { try news.tell(ofStore: try MountRequest.storePath(options)) }
            // Who mounts for another user may not look into the mount.
            if let greeting = try? MountGreeting(MountedTree(holding: mountpoint)) {
                try Output.line(greeting.text.printable)
            }
        }
    }

    private func serve(_ passphrase: Passphrase?) throws {
        let report = ReadinessReport(descriptor: readyDescriptor)
        do {
            let request = try MountRequest(
                mountpoint: mountpoint, options: options, passphrase: passphrase, isBackground: readyDescriptor != nil)
            try MountDaemon.run(request) { news in
                guard readyDescriptor == nil else { return report.ready(news) || unattended }
                // What a service prints goes to a journal.
                if isatty(STDOUT_FILENO) == 1 {
                    do { try news.tell(ofStore: request.storePath) } catch {
                        CommandFailure.print(error: "\(error)")
                    }
                }
                return true
            }
        } catch {
            if let missing = error as? MissingPassphrase, readyDescriptor == nil { throw missing }
            report.failed("\((error as? CommandFailure)?.message ?? String(describing: error))")
            throw error
        }
    }
}

/// The options of `docfs mount` (Semantics, "The command").
struct MountOptions: ParsableArguments {
    @Option(help: "The folder for this device's documents. (default: $XDG_DATA_HOME/docfs or ~/.local/share/docfs)")
    var store: String?

    @Option(
        help:
            "The cloud container: file:///DIR or s3://BUCKET/PREFIX?endpoint=URL&region=R. (default: the folder STORE-cloud beside the store)"
    )
    var cloud: String?

    @Flag(
        help:
            "Let the store's cloud documents go to the container at --cloud, where the store belongs to another one. All of them must be here, or in that container already. The former container stays as it is."
    )
    var moveToThisCloud = false

    @Flag(
        inversion: .prefixedNo,
        help:
            "Make a new container that its keeper cannot read. Its passphrase is asked for on a terminal; the recovery key is printed once."
    )
    var encrypt: Bool?

    @Option(
        help:
            "A file whose first line is the passphrase or the recovery key of an encrypted container. (default: $DOCFS_PASSPHRASE, what the desktop's keyring has, or asked for on a terminal, once)"
    )
    var passphraseFile: String?

    @Option(help: "How filenames are generated: timestamp, uuid or sequential. (default: timestamp)")
    var filenames: FilenameConvention?

    @Option(help: "The beginning of every generated filename. (default: none)")
    var filenamePrefix: String?

    @Option(help: "The names that a listing shows: filenames or display-names. (default: filenames)")
    var show: ListingMode?

    @Flag(help: "Let other users of this machine access the mount.")
    var allowOther = false

    @Flag(help: "Mount over a folder that is not empty. What is in it cannot be seen until the mount ends.")
    var nonEmpty = false

    @Flag(
        inversion: .prefixedNo,
        help:
            "Tell the desktop of conflicts, of refused credentials, and of a cloud that stays away while changes wait.")
    var notifications = true

    @Option(help: "Seconds to wait for the first bytes of a document that must be downloaded.")
    var timeout = 30.0

    @Option(
        help:
            "The room that documents of the cloud may take on this disk, for example 500M or 1G, or none. What was opened longest ago goes first. (default: none)"
    )
    var cacheLimit: CacheLimit?

    @Option(help: "This device's name, as other devices see it. (default: the host's name)")
    var deviceName: String?

    @Option(help: "How much is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.notice

    mutating func validate() throws {
        if let filenamePrefix {
            do { _ = try FilenameGenerator(convention: filenames ?? .timestamp, prefix: filenamePrefix) } catch {
                throw ValidationError("--filename-prefix \(filenamePrefix) cannot begin a filename: \(error)")
            }
        }
        if moveToThisCloud, cloud == nil {
            throw ValidationError("--move-to-this-cloud needs --cloud URL, which says where to")
        }
        if !timeout.isFinite || timeout <= 0 { throw ValidationError("--timeout must be more than 0 seconds") }
        if let deviceName, deviceName.isEmpty || deviceName.contains(where: { $0 == "/" || $0.isNewline }) {
            throw ValidationError("--device-name cannot be empty or contain '/' or a line feed")
        }
    }
}

enum ListingMode: String, ExpressibleByArgument, CaseIterable, Codable {
    case filenames
    case displayNames = "display-names"
}

extension CacheLimit: ExpressibleByArgument {
    init?(argument: String) {
        if argument == "none" {
            self = .none
        } else if let count = ByteCount(argument) {
            self = .limit(count)
        } else {
            return nil
        }
    }
}

extension FilenameConvention: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
