import ArgumentParser
import CLinux
import Documents
import Filesystem
import FoundationEssentials
import Glibc
import SystemPackage

struct TrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "List what was deleted, and bring it back.",
        discussion: """
            What was deleted in the last 30 days, on this device or on another one of the cloud, with the time, the device, the place and the name.

            Examples:
              docfs trash
              docfs trash restore Groceries.txt
              docfs trash empty
            """,
        subcommands: [ListTrash.self, RestoreFromTrash.self, EmptyTrash.self], defaultSubcommand: ListTrash.self)
}

struct ListTrash: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is in the trash, the latest first.",
        discussion: "Columns: time, size, device, place, name. Example: docfs trash list ~/docs")

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @Flag(help: "Print JSON: an array of objects with key, name, filename, place, deleted, device and size.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let trashed = try MountedTree(holdingOrNearest: path).trash()
            if json { return try Output.json(trashed) }
            let facts = TerminalFacts.of(STDOUT_FILENO)
            if trashed.isEmpty, facts.isTerminal { return try Output.line("The trash is empty.") }
            var table = TextTable(
                trashed.map { document in
                    [
                        .time(iso8601: document.deleted, on: facts), StyledText(HumanText.size(document.size)),
                        StyledText((document.device ?? "unknown device").printable, .faint),
                        StyledText(document.place.printable, .faint),
                        StyledText(document.name.printable),
                    ]
                })
            table.rightAligned = [1]
            table.hasColor = facts.hasColor
            try Output.write(table.text)
        }
    }
}

struct RestoreFromTrash: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring documents back from the trash, whole, to where they were.",
        discussion: """
            NAME is a document's name with or without its extension, its filename, or its key (see `docfs trash --json`). Of several with one name, the one that was \
            deleted last comes back. The name of a folder that was deleted brings it back with all that was deleted with it. A folder of a docfs mount as the last word says which mount is meant.

            Example: docfs trash restore Groceries.txt Plan ~/docs
            """)

    @Argument(help: "Names or keys of documents in the trash, or names of folders.")
    var names: [String]

    func run() throws {
        try CommandFailure.reported {
            let (names, mount) = try split()
            for name in names {
                let found = try mount.trash().first { document in
                    document.key == name || document.name == name || document.filename == name
                        || (try? EntryName(document.name)).map(DocumentName.init(splitting:))?.displayName == name
                }
                guard let found else {
                    if try mount.restoreFolderFromTrash(name) { continue }
                    throw CommandFailure("there is no “\(name)” in the trash; `docfs trash` lists it")
                }
                try mount.restoreFromTrash(found)
            }
        }
    }

    private func split() throws -> ([String], MountedTree) {
        if names.count > 1, let last = names.last, MountedTree.hasFolder(last) {
            return (names.dropLast(), try MountedTree(holding: last))
        }
        return (names, try MountedTree.nearest())
    }
}

struct EmptyTrash: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "empty", abstract: "Remove for good what is in the trash.",
        discussion: """
            What was deleted before can no longer be undone here. What the cloud keeps of it, and what other devices have in their trash, stays there.

            Example: docfs trash empty
            """)

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    func run() throws {
        try CommandFailure.reported { try MountedTree(holdingOrNearest: path).emptyTrash() }
    }
}

extension MountedTree {
    /// What is in the trash, the latest removal first.
    func trash() throws -> [TrashedDocument] {
        try records(.trash, describedAs: "the list of the trash")
    }

    func restoreFromTrash(_ document: TrashedDocument) throws {
        do throws(Errno) { try setTrash("restore \(document.key)") } catch {
            let reason =
                switch error {
                case .fileExists: "its name is taken by something else in \(document.place) now; rename that first"
                case .noSuchFileOrDirectory: "it is no longer in the trash"
                default: "\(error)"
                }
            throw CommandFailure("cannot restore “\(document.name)”: \(reason)")
        }
    }

    /// Brings the folder back that was deleted last of those with this name, with all that was deleted with it, as file managers do.
    ///
    /// - Returns: false if no folder of this name is in the trash.
    func restoreFolderFromTrash(_ name: String) throws -> Bool {
        var status = stat()
        guard stat(mountpoint, &status) == 0 else { return false }
        let trash = mountpoint + "/" + FolderInTrash.topName(of: status.st_uid)
        let found = try FolderContent.folders(in: trash + "/files").compactMap { label in
            FileManager.default.contents(atPath: "\(trash)/info/\(label)\(TrashInfo.suffix)")
                .flatMap { TrashedFolder(label, info: String(decoding: $0, as: UTF8.self)) }
        }
        guard let folder = found.filter({ $0.name == name }).max(by: { $0.deleted < $1.deleted }) else { return false }
        let (from, to) = ("\(trash)/files/\(folder.label)", "\(mountpoint)/\(folder.path)")
        if renameat2(AT_FDCWD, from, AT_FDCWD, to, UInt32(RenameOptions.noReplace.rawValue)) == 0 { return true }
        let reason =
            switch errno {
            case EEXIST: "its name is taken by something else in \(folder.path) now; rename that first"
            case ENOENT: "the folder that it lay in is gone: \(folder.path)"
            case let code: String(cString: strerror(code))
            }
        throw CommandFailure("cannot restore the folder “\(name)”: \(reason)")
    }

    func emptyTrash() throws {
        do throws(Errno) { try setTrash("empty") } catch { throw CommandFailure("cannot empty the trash: \(error)") }
    }

    private func setTrash(_ request: String) throws(Errno) {
        guard setxattr(mountpoint, MountAttribute.trash.rawValue, request, request.utf8.count, 0) == 0 else {
            throw Errno(rawValue: errno)
        }
    }
}

/// A folder in `.Trash-UID/files`.
private struct TrashedFolder {
    /// Its name there.
    let label: String
    /// Where it lay, from the mountpoint on.
    let path: String
    /// In the form of the Trash specification, which sorts by time.
    let deleted: String

    /// - Returns: nil if the text of `info` is none.
    init?(_ label: String, info: String) {
        func value(of key: String) -> Substring? {
            info.split(separator: "\n").first { $0.hasPrefix(key + "=") }?.dropFirst(key.count + 1)
        }
        guard let path = value(of: "Path").flatMap({ PercentEncoding.decode($0) }),
            let deleted = value(of: "DeletionDate")
        else { return nil }
        self.label = label
        self.path = path
        self.deleted = String(deleted)
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
