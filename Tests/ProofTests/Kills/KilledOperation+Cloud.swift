import Glibc
import MountSupport
import SystemPackage

/// Operations of what stays on a device, of conflicts, and of moves between `local` and `cloud`.
extension KilledOperation {
    static let stays: [KilledOperation] = {
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

    static let choices: [KilledOperation] = {
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

    static let migrations = [
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
