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

    static func one(
        _ name: String, after preparation: String = "", perform: @escaping @Sendable (FilePath) throws -> Void,
        _ change: @escaping @Sendable (inout KeptTree) -> Void
    ) -> KilledOperation {
        KilledOperation(
            name: name, preparation: preparation, steps: [Step(perform: { try perform($0.folder) }, change: change)])
    }

    private static let all =
        names + saves + metadata + folders + orders + undone + restored + trashed + stays + choices + migrations

    /// What can be done in a container.
    static func all(in container: String) -> [KilledOperation] { all.filter { !$0.isOfCloud || container == "cloud" } }

    /// A mount after an unclean end compares the whole store, so each has only the folders of some operations.
    private static let operationsOfMount = 10

    static func parts(of operations: [KilledOperation]) -> [[KilledOperation]] {
        stride(from: 0, to: operations.count, by: operationsOfMount).map {
            Array(operations[$0..<min($0 + operationsOfMount, operations.count)])
        }
    }
}
