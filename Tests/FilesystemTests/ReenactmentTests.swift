import Catalog
import Documents
@testable import Filesystem
import Library
import Testing

/// The answers to the thread that reenacts remote changes.
struct ReenactmentTests {
    private static let folder = ListedPath.Component(folder: .cloud, name: "F", inode: InodeNumber(100), kind: .folder)
    private static let old = place("old", 101)
    private static let new = place("new", 101)

    private static func place(_ name: String, _ inode: Int64, in location: Location = .cloud) -> ListedPath {
        let folder = ListedPath.Component(
            folder: location == .local ? .local : .cloud, name: "F", inode: InodeNumber(100), kind: .folder)
        return ListedPath(
            in: location, folders: [folder],
            entry: .init(folder: folder.inode, name: name, inode: InodeNumber(inode), kind: .document))
    }

    /// The last answer to some calls.
    private static func answer(_ change: RemoteChange, _ calls: Reenactment.Call...) -> Reenactment.Answer? {
        var reenactment = Reenactment(change: change)
        return calls.map { reenactment.answer(to: $0) }.last
    }

    private static let changes: [RemoteChange] = [
        .created(old), .modified(old), .removed(old), .moved(from: old, to: new),
    ]

    @Test(arguments: changes)
    func `the folders on the way are what they were`(change: RemoteChange) {
        #expect(Self.answer(change, .lookup(folder: .cloud, name: "F")) == .entry(Self.folder))
        #expect(Self.answer(change, .lookup(folder: .documents, name: "cloud")) == .notOurs)
        #expect(Self.answer(change, .lookup(folder: .root, name: "Documents")) == .notOurs)
        #expect(Self.answer(change, .lookup(folder: .cloud, name: "other")) == .absent)
    }

    @Test func `in local as in cloud`() {
        let (old, new) = (Self.place("old", 101, in: .local), Self.place("new", 101, in: .local))
        let change = RemoteChange.moved(from: old, to: new)
        #expect(old.folderPath == "Documents/local/F")
        #expect(Self.answer(change, .lookup(folder: .documents, name: "local")) == .notOurs)
        #expect(Self.answer(change, .lookup(folder: .local, name: "F")) == .entry(old.folders[0]))
        #expect(Self.answer(change, .lookup(folder: .local, name: "other")) == .absent)
    }

    @Test func `before the call, the tree is as it was before the change`() {
        let (old, new) = (Self.old, Self.new)
        func lookup(_ name: String) -> Reenactment.Call { .lookup(folder: Self.folder.inode, name: name) }
        #expect(Self.answer(.created(old), lookup("old")) == .absent)
        #expect(Self.answer(.modified(old), lookup("old")) == .entry(old.entry))
        #expect(Self.answer(.removed(old), lookup("old")) == .entry(old.entry))
        #expect(Self.answer(.moved(from: old, to: new), lookup("old")) == .entry(old.entry))
        #expect(Self.answer(.moved(from: old, to: new), lookup("new")) == .absent)
    }

    @Test func `the call of the change succeeds`() {
        let (old, new) = (Self.old, Self.new)
        let folder = Self.folder.inode
        #expect(Self.answer(.created(old), .make(folder: folder, name: "old")) == .entry(old.entry))
        let asked = Reenactment.Call.lookup(folder: folder, name: "old")
        #expect(Self.answer(.removed(old), asked, .remove(folder: folder, name: "old")) == .done)
        #expect(
            Self.answer(
                .moved(from: old, to: new), asked,
                .rename(folder: folder, name: "old", newFolder: folder, newName: "new"))
                == .done)
        #expect(Self.answer(.modified(old), .open(old.entry.inode)) == .done)
        #expect(Self.answer(.modified(old), .touch(old.entry.inode)) == .done)
    }

    @Test(arguments: changes)
    func `any other call is refused, so that the thread never does anything`(change: RemoteChange) {
        let folder = Self.folder.inode
        let calls: [Reenactment.Call] = [
            .make(folder: folder, name: "other"), .remove(folder: folder, name: "other"),
            .remove(folder: .cloud, name: "old"),
            .rename(folder: folder, name: "new", newFolder: folder, newName: "old"), .open(InodeNumber(7)),
            .touch(InodeNumber(7)),
        ]
        for call in calls { #expect(Self.answer(change, call) == .refused) }
    }

    /// The kernel may remember something else under the name.
    @Test func `a name that the kernel did not ask about is neither removed nor renamed`() {
        let folder = Self.folder.inode
        #expect(Self.answer(.removed(Self.old), .remove(folder: folder, name: "old")) == .refused)
        #expect(
            Self.answer(
                .moved(from: Self.old, to: Self.new), .lookup(folder: folder, name: "new"),
                .rename(folder: folder, name: "old", newFolder: folder, newName: "new")) == .refused)
    }

    @Test func `a path goes by the names that listings showed`() {
        #expect(Self.old.folderPath == "Documents/cloud/F")
    }
}
