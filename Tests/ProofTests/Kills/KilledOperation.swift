import Glibc
import MountSupport
import SystemPackage

/// Something that a person does to documents, as system calls that are killed.
struct KilledOperation: Sendable {
    /// One system call, or several of which only the first changes something. A kill leaves the tree as it was before or as it is after.
    struct Step: Sendable {
        let perform: @Sendable (Place) throws -> Void
        let change: @Sendable (inout KeptTree) -> Void
    }

    /// Two folders of the same name, one in `local` and one in `cloud`. Operations are done in one of them, `folder`.
    struct Place: Sendable {
        let documents: FilePath
        let container: String
        let name: String

        var folder: FilePath { documents / container / name }
        var other: FilePath { documents / (container == "local" ? "cloud" : "local") / name }

        func tree() throws -> [KeptTree] { [try KeptTree(of: folder), try KeptTree(of: other)] }

        /// fsync(2) of all that is in it.
        ///
        /// - Returns: whether all of it is durable.
        func synchronize() -> Bool { [folder, other].allSatisfy(Self.synchronize) }

        private static func synchronize(_ path: FilePath) -> Bool {
            let number = open(path.string, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            // A link has nothing to sync but its folder.
            if number < 0 { return errno == ELOOP }
            defer { close(number) }
            return fsync(number) == 0
                && ((try? path.listing()) ?? []).allSatisfy { synchronize(path / $0) }
        }
    }

    let name: String
    /// Done by a shell in the folder before the operation.
    var preparation = ""
    var steps: [Step]
    /// Whether it can be done whatever else is under way: not what undoes the last action of the mount, or waits for the cloud.
    var isIndependent = true
    /// Whether it is one of documents of the cloud.
    var isOfCloud = false
    /// Whether `Plan.txt` is in conflict before.
    var needsConflict = false
    /// A killed creation may leave a file that has no display name yet.
    var mayLeaveUnnamed = false
    /// What it does in the other container.
    var changeOfOther: (@Sendable (_ here: KeptTree, _ other: inout KeptTree) -> Void)?

    /// In each folder before an operation: two documents, one of them with an attribute, a folder with a document, an empty folder, a link.
    static let tree = """
        printf plan > Plan.txt; setfattr -n user.colour -v blue Plan.txt; printf notes > Notes.txt; mkdir Inner Empty
        printf deep > Inner/Deep.txt; ln -s Plan.txt Link; touch -d 2020-02-03T04:05:06.123456789Z Plan.txt
        """

    private static func one(
        _ name: String, after preparation: String = "", perform: @escaping @Sendable (FilePath) throws -> Void,
        _ change: @escaping @Sendable (inout KeptTree) -> Void
    ) -> KilledOperation {
        KilledOperation(
            name: name, preparation: preparation, steps: [Step(perform: { try perform($0.folder) }, change: change)])
    }

    private static let all =
        names + saves + metadata + folders + orders + undone + trashed + stays + choices + migrations

    /// What can be done in a container.
    static func all(in container: String) -> [KilledOperation] { all.filter { !$0.isOfCloud || container == "cloud" } }

    /// A mount after an unclean end compares the whole store, so each has only the folders of some operations.
    private static let operationsOfMount = 10

    static func parts(of operations: [KilledOperation]) -> [[KilledOperation]] {
        stride(from: 0, to: operations.count, by: operationsOfMount).map {
            Array(operations[$0..<min($0 + operationsOfMount, operations.count)])
        }
    }

    private static let names = [
        one("rename") {
            try ($0 / "Plan.txt").rename(to: $0 / "Letter.txt")
        } _: {
            $0.move("Plan.txt", to: "Letter.txt")
        },
        one("rename with another extension") {
            try ($0 / "Plan.txt").rename(to: $0 / "Plan.md")
        } _: {
            $0.move("Plan.txt", to: "Plan.md")
        },
        one("move") {
            try ($0 / "Plan.txt").rename(to: $0 / "Inner/Plan.txt")
        } _: {
            $0.move("Plan.txt", to: "Inner/Plan.txt")
        },
        one("move under a new name") {
            try ($0 / "Plan.txt").rename(to: $0 / "Inner/Letter.txt")
        } _: {
            $0.move("Plan.txt", to: "Inner/Letter.txt")
        },
        one("name by attribute") {
            try ($0 / "Plan.txt").setAttribute("user.displayName", "Letter")
        } _: {
            $0.move("Plan.txt", to: "Letter.txt")
        },
        one("hide") {
            try ($0 / "Plan.txt").rename(to: $0 / ".Plan.txt")
        } _: {
            $0.move("Plan.txt", to: ".Plan.txt")
        },
        one("remove") {
            try ($0 / "Plan.txt").remove()
        } _: {
            $0.remove("Plan.txt")
        },
        one("remove a link") {
            try ($0 / "Link").remove()
        } _: {
            $0.remove("Link")
        },
        one("link") {
            try ($0 / "Second").makeSymbolicLink(to: "Inner")
        } _: {
            $0.add("Second", .init(type: S_IFLNK, content: "Inner"))
        },
    ]

    private static let saves = [
        KilledOperation(
            name: "create",
            steps: [
                Step(perform: { try ($0.folder / "New.txt").create() }, change: { $0.add("New.txt", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "New.txt").write("new") },
                    change: { $0.add("New.txt", .newFile("new")) }),
            ], mayLeaveUnnamed: true),
        KilledOperation(
            name: "save by renaming",
            steps: [
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").create() },
                    change: { $0.add("Plan.txt.tmp", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").write("new plan") },
                    change: { $0.add("Plan.txt.tmp", .newFile("new plan")) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt.tmp").rename(to: $0.folder / "Plan.txt") },
                    change: {
                        $0.remove("Plan.txt.tmp")
                        $0.change("Plan.txt") {
                            $0.content = "new plan"
                            $0.modified = nil
                        }
                    }),
            ]),
        KilledOperation(
            name: "save with a backup",
            steps: [
                Step(
                    perform: { try ($0.folder / "Plan.txt").rename(to: $0.folder / "Plan.txt~") },
                    change: {
                        $0.move("Plan.txt", to: "Plan.txt~")
                        $0.change("Plan.txt~") {
                            $0.id = nil
                            $0.attributes = nil
                        }
                    }),
                Step(
                    perform: { try ($0.folder / "Plan.txt").create() },
                    change: { $0.add("Plan.txt", .newFile()) }),
                Step(
                    perform: { try ($0.folder / "Plan.txt").write("new plan") },
                    change: { $0.add("Plan.txt", .newFile("new plan")) }),
            ], mayLeaveUnnamed: true),
        one("replace another document") {
            try ($0 / "Notes.txt").rename(to: $0 / "Plan.txt")
        } _: {
            $0.remove("Notes.txt")
            $0.add("Plan.txt", .newFile("notes"))
        },
        KilledOperation(
            name: "exchange",
            steps: [
                Step(
                    perform: { try ($0.folder / "Notes.txt").rename(to: $0.folder / "Plan.txt", .exchange) },
                    change: {
                        $0.add("Plan.txt", .newFile("notes"))
                        $0.add("Notes.txt", .newFile("plan"))
                    })
            ]),
        KilledOperation(
            name: "exchange folders",
            steps: [
                Step(
                    perform: { try ($0.folder / "Inner").rename(to: $0.folder / "Empty", .exchange) },
                    change: { $0.move("Inner/Deep.txt", to: "Empty/Deep.txt") })
            ]),
        one("cut off") {
            try ($0 / "Plan.txt").call { truncate($0, 2) }
        } _: {
            $0.change("Plan.txt") {
                $0.content = "pl"
                $0.modified = nil
            }
        },
    ]

    private static let metadata = [
        one("set an attribute") {
            try ($0 / "Plan.txt").setAttribute("user.colour", "red")
        } _: {
            $0.change("Plan.txt") { $0.attributes?["user.colour"] = "red" }
        },
        one("remove an attribute") {
            try ($0 / "Plan.txt").removeAttribute("user.colour")
        } _: {
            $0.change("Plan.txt") { $0.attributes?["user.colour"] = nil }
        },
        one("change the mode") {
            try ($0 / "Plan.txt").setPermissions([.ownerRead])
        } _: {
            $0.change("Plan.txt") { $0.permissions = 0o400 }
        },
        one("change the time") {
            let time = timespec(tv_sec: 1_600_000_000, tv_nsec: 987_654_321)
            try ($0 / "Plan.txt").setTimes(accessed: time, modified: time)
        } _: {
            $0.change("Plan.txt") { $0.modified = 1_600_000_000_987_654_321 }
        },
    ]

    private static let folders = [
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

    private static let orders = [
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

    private static let undone: [KilledOperation] = [
        one("undo a removal", after: "rm Plan.txt") {
            try ($0.removingLastComponent().removingLastComponent() / ".undo").write("1")
        } _: {
            $0.add("Plan.txt", .newFile("plan"))
            $0.change("Plan.txt") { $0.attributes = ["user.colour": "blue"] }
        },
        one("undo a renaming", after: "mv Plan.txt Letter.txt") {
            try ($0.removingLastComponent().removingLastComponent() / ".undo").write("1")
        } _: {
            $0.move("Letter.txt", to: "Plan.txt")
        },
        one("redo a removal", after: "rm Plan.txt; echo 1 > ../../.undo") {
            try ($0.removingLastComponent().removingLastComponent() / ".redo").write("1")
        } _: {
            $0.remove("Plan.txt")
        },
    ].map { operation in
        var operation = operation
        operation.isIndependent = false
        return operation
    }

    private static let trashed = [
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

    private static let stays: [KilledOperation] = {
        var keep = one("keep") {
            try ($0 / "Plan.txt").setAttribute("user.document.keep", "always")
        } _: {
            $0.change("Plan.txt") { $0.isKept = true }
        }
        var letGo = one("keep no more", after: "setfattr -n user.document.keep -v always Plan.txt") {
            try ($0 / "Plan.txt").removeAttribute("user.document.keep")
        } _: {
            $0.change("Plan.txt") { $0.isKept = false }
        }
        var evict = one("evict") {
            try ($0 / "Plan.txt").setAttribute("user.document.downloading", "notDownloaded")
        } _: { _ in
            // Its content is fetched again by whoever reads it.
        }
        (keep.isOfCloud, letGo.isOfCloud, evict.isOfCloud) = (true, true, true)
        evict.isIndependent = false
        return [keep, letGo, evict]
    }()

    private static let choices: [KilledOperation] = {
        @Sendable func conflictVersion(in folder: FilePath) throws -> FilePath {
            let versions = folder / "Plan.txt.conflicts"
            guard let name = try versions.listing().first else { throw Errno.noSuchFileOrDirectory }
            return versions / name
        }
        return [
            one("discard a conflict version") {
                try conflictVersion(in: $0).remove()
            } _: {
                $0.remove("Plan.txt.conflicts")
            },
            one("choose a conflict version") {
                try conflictVersion(in: $0).rename(to: $0 / "Plan.txt")
            } _: { tree in
                let version = tree.entries.first { $0.key.hasPrefix("Plan.txt.conflicts/") }
                tree.remove("Plan.txt.conflicts")
                tree.change("Plan.txt") {
                    $0.content = version?.value.content ?? ""
                    $0.modified = nil
                }
            },
        ].map { operation in
            var operation = operation
            (operation.isOfCloud, operation.needsConflict, operation.isIndependent) = (true, true, false)
            return operation
        }
    }()

    private static let migrations = [
        migration("migrate a document", "Plan.txt", to: "Plan.txt"),
        migration("migrate a document under a new name", "Plan.txt", to: "Inner/Letter.txt"),
        migration("migrate a folder", "Inner", to: "Inner 2"),
    ]

    private static func migration(_ name: String, _ source: String, to target: String) -> KilledOperation {
        KilledOperation(
            name: name,
            steps: [
                Step(
                    perform: { try ($0.folder / source).rename(to: $0.other / target) },
                    change: { $0.remove(source) })
            ],
            changeOfOther: { here, other in
                var moved = here
                moved.entries = here.entries.filter { $0.key == source || $0.key.hasPrefix(source + "/") }
                moved.move(source, to: target)
                other.entries.merge(moved.entries) { $1 }
                other.order = nil
            })
    }
}
