import ArgumentParser
import Backing
import CLinux
import Documents
import Filesystem
import Glibc
import Library
import Logging
import SystemPackage

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the store and the cloud container, and repair them.",
        discussion: """
            Compares the documents' files with the catalog, the trash with the undo list, and the order of each folder; then reads the \
            whole log of the cloud container and looks for the content of every document. Each finding is one line that says what was \
            found, where, and how --repair mends it.

            --repair loses nothing: a file that nothing tells of becomes a document, and a cloud document without its file is fetched \
            again. A container that lost log entries, was rolled back, emptied or replaced gets again what this device knows, and missing \
            contents if this device has them.

            With --store a store is checked while no mount uses it. If its catalog is damaged or gone, --repair keeps the damaged one \
            under another name and makes a new one from the documents' plain files. The next mount joins them with the container.

            Of an encrypted container it says the number of the last entry of the log and eight words. A device that says other words for \
            the same entry is shown another state of the cloud (the page Secrecy).

            It ends with 0 if all is well now, and with 1 if a finding remains.

            Examples:
              docfs check ~/docs
              docfs check --repair ~/docs
              docfs check --repair --store ~/.local/share/docfs
            """)

    @Argument(help: "The mountpoint, or any path below it. (default: the nearest mount)")
    var path: String?

    @Option(help: "Check this store instead of a mount and its container.")
    var store: String?

    @Flag(help: "Mend what is found.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            if let store { return try checkStore(store) }
            let mount = try MountedTree(holdingOrNearest: path)
            switch try mount.answer(to: repair ? .repair : .check, "checking") {
            case .good(let lines): try show(lines, isWhole: true)
            case .bad(let lines):
                try show(lines, isWhole: false)
                throw CommandFailure(
                    repair
                        ? "some damage remains; see the lines above"
                        : "damage was found; `docfs check --repair` mends it from what this device has")
            case .failed(let reason): throw CommandFailure("could not be checked: \(reason)")
            case .idle, .running: throw CommandFailure("the check ended without a result; try again")
            }
        }
    }

    private func checkStore(_ path: String) throws {
        let configuration = LibraryConfiguration(
            storePath: path, filenames: try FilenameGenerator(convention: .timestamp, prefix: ""),
            showsDisplayNames: false, timeout: .zero)
        // Findings are printed; the log would repeat them.
        let store = try ClosedStore(
            configuration, surroundings: .system, logger: Logger(label: "docfs") { _ in SwiftLogNoOpLogHandler() })
        var display = ProgressDisplay("checking the store")
        let report: StoreReport
        do {
            defer { display.clear() }
            report = try store.check(repairs: repair) { display.show(.percent($0)) }
        }
        try show(report.lines.isEmpty ? ["ok: the store is whole"] : report.lines, isWhole: report.isGood)
        if report.isGood { return }
        throw CommandFailure(
            repair
                ? "some damage remains; see the lines above"
                : "damage was found; `docfs check --repair --store \(path)` mends it")
    }

    private func show(_ lines: [String], isWhole: Bool) throws {
        struct Report: Encodable { let isWhole: Bool, findings: [String] }
        if json { return try Output.json(Report(isWhole: isWhole, findings: lines)) }
        try Output.write(lines.map { $0.printable + "\n" }.joined())
    }
}
