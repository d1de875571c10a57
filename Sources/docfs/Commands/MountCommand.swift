import ArgumentParser
import Documents
import Glibc
import Library
import Logging

struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount", abstract: "Mount your documents.",
        discussion: """
            Returns when the mount is ready. `docfs unmount` ends it.

            Example: docfs mount ~/docs --cloud file:///mnt/nas/docs
            """)

    @Argument(help: "An existing, empty folder.", completion: .directory)
    var mountpoint: String

    @OptionGroup var options: MountOptions

    @Flag(help: "Stay in the foreground and log to standard error.")
    var foreground = false

    /// The write end of the pipe on which the background process reports to the one that started it.
    @Option(help: .hidden)
    var readyDescriptor: Int32?

    mutating func validate() throws { _ = try options.filenameGenerator() }

    func run() throws {
        try CommandFailure.reported {
            if foreground {
                try serve()
            } else {
                try BackgroundMount.start(arguments: Array(CommandLine.arguments.dropFirst()))
            }
        }
    }

    private func serve() throws {
        let report = ReadinessReport(descriptor: readyDescriptor)
        do {
            let request = try MountRequest(
                mountpoint: mountpoint, options: options, isBackground: readyDescriptor != nil)
            try MountDaemon.run(request) { report.ready() }
        } catch {
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

    @Option(help: "How filenames are generated: timestamp, uuid or sequential.")
    var filenames = FilenameConvention.timestamp

    @Option(help: "The beginning of every generated filename.")
    var filenamePrefix = ""

    @Option(help: "The names that a listing shows: filenames or display-names.")
    var show = ListingMode.filenames

    @Flag(help: "Let other users of this machine access the mount.")
    var allowOther = false

    @Option(help: "Seconds to wait for the first bytes of a document that must be downloaded.")
    var timeout = 30.0

    @Option(
        help:
            "The room that documents of the cloud may take on this disk, for example 500M or 1G. What was opened longest ago goes first. (default: no limit)"
    )
    var cacheLimit: ByteCount?

    @Option(help: "This device's name, as other devices see it. (default: the host's name)")
    var deviceName: String?

    @Option(help: "How much is logged: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.notice

    func filenameGenerator() throws -> FilenameGenerator {
        do {
            return try FilenameGenerator(convention: filenames, prefix: filenamePrefix)
        } catch {
            throw ValidationError("--filename-prefix \(filenamePrefix) cannot begin a filename: \(error)")
        }
    }

    mutating func validate() throws {
        _ = try filenameGenerator()
        if !timeout.isFinite || timeout <= 0 { throw ValidationError("--timeout must be more than 0 seconds") }
        if let deviceName, deviceName.isEmpty || deviceName.contains(where: { $0 == "/" || $0.isNewline }) {
            throw ValidationError("--device-name cannot be empty or contain '/' or a line feed")
        }
    }
}

enum ListingMode: String, ExpressibleByArgument, CaseIterable {
    case filenames
    case displayNames = "display-names"
}

extension ByteCount: ExpressibleByArgument {
    /// For `--cache-limit`.
    public init?(argument: String) { self.init(argument) }
}

extension FilenameConvention: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
