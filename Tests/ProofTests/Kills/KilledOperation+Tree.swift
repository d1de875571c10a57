import Glibc
import MountSupport
import SystemPackage

/// Operations of folders, and of the actions and the trash of a mount.
extension KilledOperation {
    static let folders = [
        one("make a folder") {
            try ($0 / "New").makeFolder()
        } _: {
            $0.add("New", .init(type: S_IFDIR, content: ""))
        },
        one("remove a folder") {
            try ($0 / "Empty").removeFolder()
        } _: {
            $0.remove("Empty")
        },
        KilledOperation(
            name: "remove a folder with a document", preparation: "printf edited > Inner/Deep.txt",
            steps: [
                Step(
                    perform: { try ($0.folder / "Inner/Deep.txt").remove() },
                    change: { $0.remove("Inner/Deep.txt") }),
                Step(perform: { try ($0.folder / "Inner").removeFolder() }, change: { $0.remove("Inner") }),
            ]),
        one("rename a folder") {
            try ($0 / "Inner").rename(to: $0 / "Outer")
        } _: {
            $0.move("Inner", to: "Outer")
        },
        one("move a folder") {
            try ($0 / "Inner").rename(to: $0 / "Empty/Inner")
        } _: {
            $0.move("Inner", to: "Empty/Inner")
        },
        one("hide a folder") {
            try ($0 / "Inner").rename(to: $0 / ".Inner")
        } _: {
            $0.move("Inner", to: ".Inner")
        },
    ]

    static let orders = [
        one("reorder") {
            try ($0 / ".order").write("Link\nEmpty\n")
        } _: { tree in
            let rest = (tree.order ?? []).filter { $0 != "Link" && $0 != "Empty" }
            tree.order = ["Link", "Empty"] + rest
        },
        one("sort") {
            try $0.setAttribute("user.document.sort", "name")
        } _: {
            $0.order?.sort()
        },
    ]

    static let undone: [KilledOperation] = [
        undoing("undo a removal", after: "rm Plan.txt") {
            $0.add("Plan.txt", .newFile("plan"))
            $0.change("Plan.txt") { $0.attributes = ["user.colour": "blue"] }
        },
        undoing("undo a renaming", after: "mv Plan.txt Letter.txt") {
            $0.move("Letter.txt", to: "Plan.txt")
        },
        undoing("redo a removal", after: "rm Plan.txt; echo 1 > ../../.undo", by: ".redo") {
            $0.remove("Plan.txt")
        },
    ]

    /// An order to the whole mount, which is about its last action.
    private static func undoing(
        _ name: String, after preparation: String, by file: String = ".undo",
        _ change: @escaping @Sendable (inout KeptTree) -> Void
    ) -> KilledOperation {
        var operation = one(name, after: preparation) {
            try ($0.removingLastComponent().removingLastComponent() / file).write("1")
        } _: {
            change(&$0)
        }
        operation.isIndependent = false
        return operation
    }

    /// What `docfs versions restore` does: by the scratch name, docfs knows it for an action.
    private static let restoring = "printf former > .docfs-restore-1.tmp; mv .docfs-restore-1.tmp Plan.txt"

    static let restored: [KilledOperation] = [
        one("restore a version", after: "printf former > .docfs-restore-1.tmp") {
            try ($0 / ".docfs-restore-1.tmp").rename(to: $0 / "Plan.txt")
        } _: {
            $0.remove(".docfs-restore-1.tmp")
            $0.change("Plan.txt") {
                $0.content = "former"
                $0.modified = nil
            }
        },
        undoing("undo the restoration of a version", after: restoring) {
            $0.change("Plan.txt") {
                $0.content = "plan"
                // As `tree` sets it.
                $0.modified = 1_580_702_706_123_456_789
            }
        },
        undoing("redo the restoration of a version", after: restoring + "; echo 1 > ../../.undo", by: ".redo") {
            $0.change("Plan.txt") {
                $0.content = "former"
                $0.modified = nil
            }
        },
    ]

    static let trashed = [
        one("restore from the trash", after: "rm Plan.txt") { folder in
            let mountpoint = folder.removingLastComponent().removingLastComponent().removingLastComponent()
            let trash = mountpoint / ".Trash-\(getuid())"
            // Each folder has thrown away one of this name.
            let place = "/\(folder.lastComponent!.string)/Plan.txt\n".replacing(" ", with: "%20")
            let info = try (trash / "info").listing().first { try (trash / "info" / $0).text().contains(place) }
            guard let label = info?.dropLast(".trashinfo".count) else { throw Errno.noSuchFileOrDirectory }
            try (trash / "files" / String(label)).rename(to: folder / "Plan.txt")
        } _: {
            $0.add("Plan.txt", .newFile("plan"))
            $0.change("Plan.txt") { $0.attributes = ["user.colour": "blue"] }
        }
    ]
}
