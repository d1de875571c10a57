import Catalog
import Documents
import Foundation
import Synchronization
import Testing
import TestSupport

/// Commits that several writes share.
struct DeferralTests {
    private struct Interruption: Error {}

    /// Commits when the test says so.
    private final class Later: Sendable {
        private let commits = Mutex<[@Sendable () -> Void]>([])

        var count: Int { commits.withLock(\.count) }

        func add(_ commit: @escaping @Sendable () -> Void) { commits.withLock { $0.append(commit) } }

        func come() { commits.withLock { commits in (commits, commits = []).0 }.forEach { $0() } }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func add() { count.withLock { $0 += 1 } }
    }

    /// A catalog, and what would be left of it if the process died now: the names in `local`.
    private static func withCatalog(
        onLoss: @escaping @Sendable () -> Void = {},
        _ body: (_ catalog: Catalog, _ later: Later, _ remains: () throws -> [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let later = Later()
            let catalog = try Catalog(path: folder + "/catalog", later: { later.add($0) }, onLoss: onLoss)
            try body(catalog, later) {
                let copy = folder + "/" + UUID().uuidString
                for suffix in ["", "-wal"] {
                    try FileManager.default.copyItem(atPath: folder + "/catalog" + suffix, toPath: copy + suffix)
                }
                let opened = try Catalog(path: copy)
                defer { try? opened.close() }
                return try opened.read { try $0.children(of: .local).map(\.filename) }
            }
            try catalog.close()
        }
    }

    /// Makes an entry whose row is written when somebody looks.
    private static func make(_ name: String, in catalog: Catalog) throws -> InodeNumber {
        try catalog.write(mayDefer: .creation) { catalog in
            catalog.deferRows()
            return try catalog.insert(.document(name, filename: name))
        }
    }

    private static func remove(_ inode: InodeNumber, in catalog: Catalog) throws {
        try catalog.write(mayDefer: .removal) { catalog in
            catalog.deferRows()
            try catalog.delete(inode)
        }
    }

    @Test func `what is deferred is seen at once, and kept when somebody comes to commit it`() throws {
        try Self.withCatalog { catalog, later, remains in
            _ = try Self.make("a", in: catalog)
            _ = try Self.make("b", in: catalog)
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["a", "b"])
            #expect(try remains() == [])
            #expect(later.count == 1)
            later.come()
            #expect(try remains() == ["a", "b"])
            _ = try Self.make("c", in: catalog)
            #expect(later.count == 1)
        }
    }

    @Test func `a row that waits is written before anybody looks, and when it is time`() throws {
        try Self.withCatalog { catalog, later, remains in
            let a = try Self.make("a", in: catalog)
            #expect(try catalog.read { try $0.entry(in: .local, filename: "a")?.inode } == a)
            let b = try Self.make("b", in: catalog)
            catalog.settle()
            try catalog.write(mayDefer: .creation) { catalog in
                #expect(try catalog.entry(b)?.filename == "b")
                catalog.deferRows()
                _ = try catalog.insert(.document("c", filename: "c"))
            }
            #expect(try catalog.read { try $0.documentCount(in: .local).documents } == 3)
            later.come()
            #expect(try remains() == ["a", "b", "c"])
            _ = try Self.make("d", in: catalog)
            later.come()
            #expect(try remains() == ["a", "b", "c", "d"])
        }
    }

    @Test func `a removal whose row waits is seen at once`() throws {
        try Self.withCatalog { catalog, later, remains in
            let a = try Self.make("a", in: catalog)
            later.come()
            #expect(try catalog.read { try $0.documentCount(in: .local).documents } == 1)
            try catalog.write(mayDefer: .removal) { catalog in
                catalog.deferRows()
                try catalog.delete(a)
            }
            #expect(try catalog.read { try $0.entry(a) } == nil)
            #expect(try catalog.read { try $0.documentCount(in: .local).documents } == 0)
            #expect(try remains() == ["a"])
            later.come()
            #expect(try remains() == [])
        }
    }

    @Test func `rows that wait are there whatever the next write does`() throws {
        try Self.withCatalog { catalog, later, remains in
            _ = try Self.make("a", in: catalog)
            #expect(throws: Interruption.self) { try catalog.write { _ in throw Interruption() } }
            _ = try Self.make("b", in: catalog)
            #expect(throws: Interruption.self) {
                try catalog.write(mayDefer: .creation) { catalog in
                    catalog.deferRows()
                    _ = try catalog.insert(.document("c", filename: "c"))
                    throw Interruption()
                }
            }
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["a", "b"])
            _ = try Self.make("d", in: catalog)
            try catalog.write { _ = try $0.insert(.document("e", filename: "e")) }
            #expect(try remains() == ["a", "b", "d", "e"])
            #expect(!catalog.hasLost)
            later.come()
        }
    }

    /// A row cannot be written for a name that is taken: what was told to be done is not, and it is known.
    @Test func `a row that cannot be written is lost, and that is known`() throws {
        let losses = Counter()
        try Self.withCatalog(onLoss: { losses.add() }) { catalog, _, remains in
            _ = try Self.make("kept", in: catalog)
            _ = try Self.make("a", in: catalog)
            try catalog.write(mayDefer: .creation) { catalog in
                catalog.deferRows()
                _ = try catalog.insert(.document("a again", filename: "a"))
            }
            catalog.settle()
            #expect(catalog.hasLost)
            #expect(losses.value == 1)
            #expect(throws: (any Error).self) { try catalog.synchronize() }
            // What is done from now on is.
            try catalog.write { _ = try $0.insert(.folder("new")) }
            #expect(try remains().contains("new"))
        }
    }

    @Test func `a commit may wait for all that a write changes, and only for that with what it was made of`() throws {
        try Self.withCatalog { catalog, later, remains in
            let old = try Self.make("old", in: catalog)
            later.come()
            #expect(try catalog.read { !$0.isInsertionDeferred(old) })
            let new = try Self.make("new", in: catalog)
            try catalog.write(mayDefer: .creation) { catalog in
                #expect(catalog.isInsertionDeferred(new))
                catalog.deferRows()
                var entry = try #require(try catalog.entry(new))
                entry.filename = "old"
                try catalog.replace(old, by: entry)
            }
            // A row tells of the place that it took.
            #expect(try catalog.read { !$0.isInsertionDeferred(new) })
            #expect(try catalog.read { try $0.entry(in: .local, filename: "old")?.inode } == new)
            #expect(try catalog.read { try $0.entry(in: .local, filename: "new") } == nil)
            #expect(try remains() == ["old"])
            // All three changes are made again.
            #expect(throws: Interruption.self) { try catalog.write { _ in throw Interruption() } }
            #expect(try catalog.read { try $0.children(of: .local).map(\.inode) } == [new])
            later.come()
            #expect(try remains() == ["old"])
        }
    }

    @Test func `what is made may be changed before its commit, and what changes nothing asks for none`() throws {
        try Self.withCatalog { catalog, later, remains in
            let inode = try Self.make("a", in: catalog)
            try catalog.write(mayDefer: .creation) { catalog in
                catalog.deferRows()
                var entry = try #require(try catalog.entry(inode))
                entry.filename = "b"
                try catalog.update(entry)
            }
            try catalog.write(mayDefer: .creation) { $0.deferRows() }
            #expect(try remains() == [])
            #expect(try catalog.read { $0.isInsertionDeferred(inode) })
            later.come()
            #expect(try remains() == ["b"])
            #expect(try catalog.read { !$0.isInsertionDeferred(inode) })
            // Where nothing waits there is nothing to come for.
            try catalog.write(mayDefer: .creation) { $0.deferRows() }
            #expect(later.count == 0)
        }
    }

    @Test func `what must not come before the commit comes after it, and at once where nothing waits`() throws {
        try Self.withCatalog { catalog, later, remains in
            let done = Counter()
            let work: @Sendable () -> Void = { done.add() }
            catalog.whenCommitted(work)
            #expect(done.value == 1)
            _ = try Self.make("a", in: catalog)
            catalog.whenCommitted(work)
            #expect(throws: Interruption.self) { try catalog.write { _ in throw Interruption() } }
            catalog.settle()
            #expect(done.value == 1)
            later.come()
            #expect(done.value == 2)
            #expect(try remains() == ["a"])
            later.come()
            #expect(done.value == 2)
        }
    }

    @Test func `what took a place is committed before anything is moved`() throws {
        try Self.withCatalog { catalog, later, remains in
            let old = try Self.make("old", in: catalog)
            later.come()
            let new = try Self.make("new", in: catalog)
            // Nothing took a place yet.
            try catalog.write { catalog in
                try catalog.commitTakenPlaces()
                #expect(try remains() == ["old"])
            }
            let newer = try Self.make("newer", in: catalog)
            try catalog.write(mayDefer: .creation) { catalog in
                catalog.deferRows()
                try catalog.delete(old)
                var entry = try #require(try catalog.entry(newer))
                entry.filename = "old"
                try catalog.update(entry)
            }
            try catalog.write { catalog in
                try catalog.commitTakenPlaces()
                #expect(try Set(remains()) == ["old", "new"])
                try catalog.delete(new)
            }
            #expect(try remains() == ["old"])
        }
    }

    @Test func `any other write keeps what came before it`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            try catalog.write { _ = try $0.insert(.folder("b")) }
            #expect(try remains() == ["a", "b"])
        }
    }

    @Test func `so does a sync`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            try catalog.synchronize()
            #expect(try remains() == ["a"])
        }
    }

    @Test func `and closing`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog") { _ in }
            _ = try Self.make("a", in: catalog)
            try catalog.close()
            let again = try Catalog(path: folder + "/catalog")
            #expect(try again.read { try $0.children(of: .local).map(\.filename) } == ["a"])
            try again.close()
        }
    }

    @Test func `a write that fails undoes itself only`() throws {
        try Self.withCatalog { catalog, later, remains in
            _ = try Self.make("a", in: catalog)
            #expect(throws: Interruption.self) {
                try catalog.write { catalog in
                    _ = try catalog.insert(.folder("b"))
                    throw Interruption()
                }
            }
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["a"])
            later.come()
            #expect(try remains() == ["a"])
            #expect(!catalog.hasLost)
        }
    }

    @Test func `what waits stays as it is when a write that fails has changed it`() throws {
        try Self.withCatalog { catalog, later, remains in
            let a = try Self.make("a", in: catalog)
            _ = try Self.make("b", in: catalog)
            #expect(throws: Interruption.self) {
                try catalog.write { catalog in
                    try catalog.delete(a)
                    throw Interruption()
                }
            }
            #expect(try catalog.read { try $0.children(of: .local).map(\.inode) }.first == a)
            later.come()
            #expect(try remains() == ["a", "b"])
        }
    }

    @Test func `removals that wait are made again when another write fails`() throws {
        try Self.withCatalog { catalog, later, remains in
            let a = try Self.make("a", in: catalog)
            later.come()
            try Self.remove(a, in: catalog)
            #expect(throws: Interruption.self) { try catalog.write { _ in throw Interruption() } }
            #expect(try catalog.read { try $0.children(of: .local).isEmpty })
            #expect(try remains() == ["a"])
            later.come()
            #expect(try remains() == [])
        }
    }

    @Test func `creations and removals do not wait together`() throws {
        try Self.withCatalog { catalog, _, remains in
            let inode = try Self.make("a", in: catalog)
            try Self.remove(inode, in: catalog)
            _ = try Self.make("b", in: catalog)
            // The removal ended the wait of the creation, the next creation that of the removal.
            #expect(try remains() == [])
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["b"])
            try catalog.write { _ = try $0.insert(.folder("c")) }
            #expect(try remains() == ["b", "c"])
        }
    }

    @Test func `what must not wait together is committed before anything is done`() throws {
        try Self.withCatalog { catalog, _, remains in
            let inode = try Self.make("a", in: catalog)
            try catalog.write(mayDefer: .removal) { catalog in
                #expect(try remains() == ["a"])
                catalog.deferRows()
                try catalog.delete(inode)
            }
            try catalog.write(mayDefer: .creation) { _ throws in #expect(try remains() == []) }
        }
    }

    /// Else numbers would be given out again after the next start.
    @Test func `a rollback that takes back the claim to inode numbers makes it anew`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog") { _ in }
            var inodes: Set<InodeNumber> = [try Self.make("a", in: catalog)]
            #expect(throws: Interruption.self) { try catalog.write { _ in throw Interruption() } }
            // Renumbering alone does not tell SQLite of the number.
            let last = try catalog.write { try $0.renumber($0.insert(.folder("b"))) }
            inodes.insert(last)
            var current = last
            for _ in 0..<5 {
                current = try catalog.write { try $0.renumber(current) }
                inodes.insert(current)
            }
            try catalog.close()
            let again = try Catalog(path: folder + "/catalog")
            for number in 0..<20 {
                let inode = try again.write { try $0.insert(.folder("new \(number)")) }
                #expect(inodes.insert(inode).inserted)
            }
            try again.close()
        }
    }

    @Test func `not too many wait`() throws {
        try Self.withCatalog { catalog, _, remains in
            for number in 0..<600 { _ = try Self.make("folder \(number)", in: catalog) }
            #expect(try remains().count >= 500)
        }
    }

    @Test func `where nobody comes later, all is kept at once`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog")
            _ = try Self.make("a", in: catalog)
            try catalog.abandon()
            let again = try Catalog(path: folder + "/catalog")
            #expect(try again.read { try $0.children(of: .local).map(\.filename) } == ["a"])
            try again.close()
        }
    }

    @Test func `the position after the last one is known without asking, whatever comes and goes`() throws {
        try Self.withCatalog { catalog, _, _ in
            try catalog.write { catalog in
                #expect(try catalog.nextPosition(in: .local) == 1)
                let inode = try catalog.insert(.folder("a", position: 7.5))
                #expect(try catalog.nextPosition(in: .local) == 8)
                try catalog.insert(.folder("b", position: 3))
                #expect(try catalog.nextPosition(in: .local) == 8)
                try catalog.delete(inode)
                #expect(try catalog.nextPosition(in: .local) > 3)
            }
        }
    }
}
