import ArgumentParser
import Backing
import CLinux
import Filesystem
import Glibc
import SystemPackage

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the cloud container or the store, and repair it.",
        discussion: """
            Reads the whole log of the cloud container and looks for the content of every document. --repair restores a container that \
            lost log entries, was rolled back, emptied or replaced: this device commits again what it knows, and sends missing contents \
            again if it has them. Documents of this device are not lost by a repair.

            With --store the catalog of a store is checked, while no mount uses it. --repair sets a damaged catalog aside. The next mount \
            makes a new one from the documents' plain files and from the container.

            Examples: docfs check ~/docs
                      docfs check --repair --store ~/.local/share/docfs

            Example: docfs check --repair ~/docs
            """)

    @Argument(help: "The mountpoint, or any path below it.")
    var path: String = "."

    @Option(help: "Check this store instead of a mount and its container.")
    var store: String?

    @Flag(help: "Repair the container, or the store.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    private static let pause: UInt32 = 100_000

    func run() throws {
        try CommandFailure.reported {
            if let store { return try checkStore(store) }
            let mount = try MountedTree(holding: path)
            try mount.askForCheckup(repairs: repair)
            let reply = try wait(for: mount)
            switch reply {
            case .good(let lines): try show(lines, isWhole: true)
            case .bad(let lines):
                try show(lines, isWhole: false)
                throw CommandFailure(
                    "the cloud is damaged\(repair ? "" : "; `docfs check --repair` restores what this device has")")
            case .failed(let reason): throw CommandFailure("the cloud could not be checked: \(reason)")
            case .idle, .running: throw CommandFailure("the check of the cloud ended without a result; try again")
            }
        }
    }

    private func checkStore(_ path: String) throws {
        let checkup = try StoreCheckup(path: path, at: Surroundings.system.now(), repairs: repair)
        try show(checkup.findings.isEmpty ? ["ok: the catalog is sound"] : checkup.findings, isWhole: checkup.isSound)
        if !checkup.isSound {
            throw CommandFailure(
                "the store is damaged; `docfs check --repair --store \(path)` sets its catalog aside, and the next mount makes a new one"
            )
        }
    }

    private func wait(for mount: MountedTree) throws -> CheckupReply {
        var display = ProgressDisplay("checking the cloud")
        defer { display.clear() }
        while true {
            let reply = try mount.checkup()
            guard case .running(let percent) = reply else { return reply }
            display.show(.percent(percent))
            usleep(Self.pause)
        }
    }

    private func show(_ lines: [String], isWhole: Bool) throws {
        struct Report: Encodable { let isWhole: Bool, findings: [String] }
        if json { return try Output.json(Report(isWhole: isWhole, findings: lines)) }
        try Output.write(lines.map { $0.printable + "\n" }.joined())
    }
}

extension MountedTree {
    fileprivate func askForCheckup(repairs: Bool) throws {
        let word = Array((repairs ? "repair" : "check").utf8)
        if setxattr(mountpoint, MountAttribute.checkup.rawValue, word, word.count, 0) == 0 { return }
        if errno == EBUSY { throw CommandFailure("the cloud is being checked already; try again when that has ended") }
        throw CommandFailure("cannot start a check through the mount at \(mountpoint): \(Errno(rawValue: errno))")
    }

    fileprivate func checkup() throws -> CheckupReply {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = getxattr(mountpoint, MountAttribute.checkup.rawValue, &bytes, bytes.count)
        guard count > 0, let reply = CheckupReply(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw CommandFailure(
                "cannot read the result of the check from the mount at \(mountpoint): \(Errno(rawValue: errno))")
        }
        return reply
    }
}
