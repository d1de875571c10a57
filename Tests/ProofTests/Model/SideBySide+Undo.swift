import Glibc
import MountSupport
import SystemPackage

/// Undo and redo: the tree is what it was before the last command, or after it.
extension SideBySide {
    func undo(_ commands: [Command], _ undone: Int, _ redone: Int) throws {
        // What undo makes of a document that a program holds without a name is left open.
        try listing?.read(.max)
        closeAll()
        ledger.scratch = [:]
        var snapshots = [try Snapshot(of: plain.root, ledger)]
        for command in commands {
            guard let arguments = arguments(of: command) else { continue }
            let before = snapshots[snapshots.count - 1]
            let results = [mount, plain].map { session in run(arguments(session.root)) }
            try require("\(results[0])", "0", "\(arguments(mount.root))")
            try require("\(results[1])", "0", "\(arguments(plain.root))")
            let after = try Snapshot(of: plain.root, ledger)
            try enter(command, before: before, after: after)
            snapshots.append(try Snapshot(of: plain.root, ledger))
        }
        if snapshots.count == 1 { return }
        try setTimesOfFolders()
        try compareAll()
        var index = snapshots.count - 1
        for _ in 0..<min(undone, index) {
            try request(".undo")
            try snapshots[index - 1].restore(in: plain.root, ledger, instead: Snapshot(of: plain.root, ledger))
            index -= 1
            try setTimesOfFolders()
            try compareAll()
        }
        for _ in 0..<min(redone, snapshots.count - 1 - index) {
            try request(".redo")
            try snapshots[index + 1].restore(in: plain.root, ledger, instead: Snapshot(of: plain.root, ledger))
            index += 1
            try setTimesOfFolders()
            try compareAll()
        }
    }

    private func request(_ name: String) throws {
        let result: Outcome<Void> = outcome {
            try FilePath((documentsFolder / name).string).open(.writeOnly).write("now\n")
        }
        try require(result.description, "()", name)
    }

    /// The command for a tree, with the first subject that it can have; nil if there is none.
    private func arguments(of command: Command) -> ((TreePath) -> [String])? {
        guard let paths = try? paths() else { return nil }
        let folders = [""] + paths.filter(\.isFolder).map(\.path)
        let folder = folders[command.folder % folders.count]
        let target = folder.isEmpty ? command.name : "\(folder)/\(command.name)"
        switch command.kind {
        case .makeDocument: return { ["touch", ($0 / target).string] }
        case .makeFolder: return { ["mkdir", ($0 / target).string] }
        case .makeLink: return { ["ln", "-s", "a.txt", ($0 / target).string] }
        case .remove, .move:
            // *Scratch files take part in no action.*
            let subjects = paths.filter { !$0.isScratch }
            guard !subjects.isEmpty else { return nil }
            let subject = subjects[command.subject % subjects.count].path
            if command.kind == .remove { return { ["rm", "-r", ($0 / subject).string] } }
            if target == subject || target.hasPrefix(subject + "/") { return nil }
            return { ["mv", "-T", ($0 / subject).string, ($0 / target).string] }
        }
    }

    private func paths() throws -> [(path: String, isFolder: Bool, isScratch: Bool)] {
        try Snapshot(of: plain.root, ledger).entries.map {
            ($0.path, $0.look.isFolder, $0.look.isFile && $0.document == nil)
        }
    }

    /// Enters into the ledger what a command did.
    private func enter(_ command: Command, before: Snapshot, after: Snapshot) throws {
        let were = Dictionary(before.entries.map { ($0.inode, $0) }) { first, _ in first }
        let are = Dictionary(after.entries.map { ($0.inode, $0) }) { first, _ in first }
        switch command.kind {
        case .remove:
            let paths = Dictionary(before.entries.map { ($0.path, $0.inode) }) { first, _ in first }
            for entry in before.entries.reversed() where are[entry.inode] == nil {
                let path = plain.root / entry.path
                let folder = entry.path.split(separator: "/").dropLast().joined(separator: "/")
                ledger.wasRemoved(
                    Ledger.Entry(
                        inode: entry.inode, path: path,
                        folder: folder.isEmpty ? plain.root.inode ?? 0 : paths[folder] ?? 0,
                        name: path.name ?? "", mode: entry.look.mode,
                        attributes: entry.look.attributes))
            }
        case .move:
            let moved = after.entries.first { entry in
                (plain.root / entry.path).name == command.name && were[entry.inode]?.path != entry.path
            }
            guard let moved, let former = were[moved.inode] else { return }
            let (old, new) = (plain.root / former.path, plain.root / moved.path)
            guard let folder = try? old.folder.status() else { return }
            let source = Ledger.Entry(
                inode: moved.inode, path: old, folder: UInt64(folder.st_ino),
                name: old.name ?? "",
                mode: moved.look.mode, attributes: moved.look.attributes)
            try ledger.renamed(source, to: new, over: nil)
        default:
            for entry in after.entries where were[entry.inode] == nil { try ledger.made(plain.root / entry.path) }
        }
    }

    /// Times of folders come back in some cases only, so both sides get the same.
    private func setTimesOfFolders() throws {
        let folders = [""] + (try paths().filter(\.isFolder).map(\.path))
        for session in [mount, plain] {
            for folder in folders {
                try require(
                    session.setModified(Place(folder), 1_000_000_002), Session.done, "setting the time of \(folder)")
            }
        }
    }

    private func run(_ arguments: [String]) -> Int32 {
        var process = pid_t()
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let code = posix_spawnp(&process, arguments[0], nil, nil, &pointers, environ)
        guard code == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
