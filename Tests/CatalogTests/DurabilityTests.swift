import Catalog
import Dispatch
import Documents
import Foundation
import Synchronization
import Testing
import TestSupport

/// Rows that are acknowledged before they are written (`Durability.soon`).
struct DurabilityTests {
    private struct Interruption: Error {}

    /// A scheduler that writes when the test asks for it.
    private final class Later: Sendable {
        private let writes = Mutex<[@Sendable () -> Void]>([])

        var count: Int { writes.withLock(\.count) }

        func add(_ write: @escaping @Sendable () -> Void) { writes.withLock { $0.append(write) } }

        func come() { writes.withLock { writes in (writes, writes = []).0 }.forEach { $0() } }
    }

    private final class Heard: Sendable {
        private let names = Mutex<[String]>([])

        var all: [String] { names.withLock { $0 } }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// Runs `body` with a catalog, and a function that returns the names in `local` that a crash would leave.
    private static func withCatalog(
        _ body: (_ catalog: Catalog, _ later: Later, _ remains: () throws -> [String]) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let later = Later()
            let catalog = try Catalog(path: folder + "/catalog", scheduler: { later.add($0) })
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

    /// Inserts an entry whose row waits.
    private static func make(_ name: String, position: OrderKey = 1, in catalog: Catalog) throws -> InodeNumber {
        // Inode numbers are set aside by a commit of its own.
        _ = try catalog.write { try $0.delete($0.insert(.folder("numbers"))) }
        return try catalog.write { transaction in
            transaction.durability = .soon
            return try transaction.insert(.document(name, filename: name, position: position))
        }
    }

    private static func remove(_ inode: InodeNumber, in catalog: Catalog) throws {
        try catalog.write { transaction in
            transaction.durability = .soon
            try transaction.delete(inode)
        }
    }

    /// Looks an entry up by name, without a query over all rows.
    private static func found(_ name: String, in catalog: Catalog) throws -> InodeNumber? {
        try catalog.read { try $0.entry(in: .local, filename: name)?.inode }
    }

    @Test func `a row that waits is found by number, by both names and by id, and written when somebody comes for it`()
        throws
    {
        try Self.withCatalog { catalog, later, remains in
            let entry = try Entry.document("Groceries.txt", filename: "a.txt", id: EntryID(numbered: 7))
            _ = try catalog.write { try $0.insert(.folder("b")) }
            let inode = try catalog.write { transaction in
                transaction.durability = .soon
                return try transaction.insert(entry)
            }
            try catalog.read { rows throws in
                #expect(try rows.entry(inode)?.filename == "a.txt")
                #expect(try rows.entry(in: .local, filename: "a.txt")?.inode == inode)
                #expect(try rows.document(in: .local, fullName: "Groceries.txt")?.inode == inode)
                #expect(try rows.entry(EntryID(numbered: 7))?.inode == inode)
                #expect(try rows.isFilenameInUse("a.txt", in: .local))
                #expect(rows.isUnwritten(inode))
            }
            #expect(try remains() == ["b"])
            #expect(later.count == 1)
            later.come()
            #expect(try Set(remains()) == ["a.txt", "b"])
            #expect(try catalog.read { !$0.isUnwritten(inode) })
        }
    }

    @Test func `a listing shows rows that wait, and writes them`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            _ = try Self.make("b", position: 2, in: catalog)
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["a", "b"])
            #expect(try remains() == ["a", "b"])
        }
    }

    @Test func `a removal that waits is seen at once, under every name`() throws {
        try Self.withCatalog { catalog, later, remains in
            let inode = try catalog.write {
                try $0.insert(.document("Plan.txt", filename: "a.txt", id: EntryID(numbered: 7)))
            }
            try Self.remove(inode, in: catalog)
            #expect(try remains() == ["a.txt"])
            try catalog.read { rows throws in
                #expect(try rows.entry(inode) == nil)
                #expect(try rows.entry(in: .local, filename: "a.txt") == nil)
                #expect(try rows.document(in: .local, fullName: "Plan.txt") == nil)
                #expect(try rows.entry(EntryID(numbered: 7)) == nil)
            }
            #expect(try remains() == ["a.txt"])
            later.come()
            #expect(try remains() == [])
        }
    }

    @Test func `of two documents with one name the other is found when the first is removed and its row waits`() throws
    {
        try Self.withCatalog { catalog, _, _ in
            let first = try catalog.write {
                try $0.insert(.document("Plan.txt", filename: "a.txt", id: EntryID(numbered: 1)))
            }
            let second = try catalog.write {
                try $0.insert(.document("Plan.txt", filename: "b.txt", id: EntryID(numbered: 2)))
            }
            try Self.remove(first, in: catalog)
            #expect(try catalog.read { try $0.document(in: .local, fullName: "Plan.txt")?.inode } == second)
        }
    }

    @Test func `a save by renaming waits whole`() throws {
        try Self.withCatalog { catalog, later, remains in
            let old = try catalog.write { try $0.insert(.document("old", filename: "old")) }
            let new = try Self.make("new", in: catalog)
            try catalog.write { transaction in
                transaction.durability = .soon
                var entry = try #require(try transaction.entry(new))
                entry.filename = "old"
                try transaction.replace(old, by: entry)
            }
            #expect(try Self.found("old", in: catalog) == new)
            #expect(try Self.found("new", in: catalog) == nil)
            #expect(try remains() == ["old"])
            later.come()
            #expect(try remains() == ["old"])
            #expect(try catalog.read { try $0.children(of: .local).map(\.inode) } == [new])
        }
    }

    /// Otherwise the replaced document would be missing for a moment, and after a crash it would be another one.
    @Test func `a writer of waiting rows waits until a save under way has ended`() throws {
        try Self.withCatalog { catalog, later, remains in
            let old = try catalog.write { try $0.insert(.document("old", filename: "old")) }
            let new = try Self.make("new", in: catalog)
            let written = DispatchSemaphore(value: 0)
            try catalog.write { transaction in
                transaction.durability = .soon
                var entry = try #require(try transaction.entry(new))
                try transaction.delete(old)
                DispatchQueue.global().async {
                    later.come()
                    written.signal()
                }
                // The writer cannot run before this write ends.
                #expect(written.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
                #expect(try remains() == ["old"])
                entry.filename = "old"
                try transaction.update(entry)
            }
            written.wait()
            #expect(try remains() == ["old"])
            #expect(try catalog.read { try $0.children(of: .local).map(\.inode) } == [new])
        }
    }

    /// Waiting rows are written in any order, so a row may still have a name in the database that another one has got.
    @Test(arguments: 0..<20) func `rows are written correctly although names moved between them while they waited`(
        seed: UInt64
    ) throws {
        try Self.withCatalog { catalog, later, remains in
            var random = SeededGenerator(seed: seed)
            var names: [InodeNumber: String] = [:]
            for number in 0..<8 {
                let name = "n\(number)"
                names[try catalog.write { try $0.insert(.document(name, filename: name)) }] = name
            }
            for step in 0..<60 {
                try catalog.write { transaction in
                    transaction.durability = .soon
                    guard let source = names.keys.sorted().randomElement(using: &random) else { return }
                    let target = names.keys.sorted().randomElement(using: &random)!
                    if target == source {
                        try transaction.delete(source)
                        names[source] = nil
                    } else if let name = names[target] {
                        var entry = try #require(try transaction.entry(source))
                        entry.filename = name
                        try transaction.replace(target, by: entry)
                        names[target] = nil
                        names[source] = name
                    }
                }
                if names.count < 4 {
                    let name = "n\(step % 8)"
                    if names.values.contains(name) { continue }
                    names[try Self.make(name, in: catalog)] = name
                }
                if step.isMultiple(of: 17) { later.come() }
            }
            for (inode, name) in names { #expect(try Self.found(name, in: catalog) == inode) }
            later.come()
            #expect(try remains().sorted() == names.values.sorted())
            for (inode, name) in names { #expect(try catalog.read { try $0.entry(inode)?.filename } == name) }
        }
    }

    /// Else a part of what a transaction does would stay if the rest of it failed.
    @Test func `a write that needs a waiting row committed runs again, and nothing of its first run stays`() throws {
        try Self.withCatalog { catalog, _, remains in
            let heard = Heard()
            catalog.setListener(
                Catalog.Listener { events in
                    for case .nameChanged(let name, _) in events { heard.add(name) }
                } failed: { _ in
                    heard.add("failed")
                } delayed: { _ in
                })
            let waiting = try Self.make("a", in: catalog)
            #expect(try remains() == [])
            var runs = 0
            var undone = 0
            try catalog.write { transaction in
                runs += 1
                transaction.announce(.nameChanged("run \(runs)", in: .local))
                transaction.ifFailed { undone += 1 }
                _ = try transaction.insert(.folder("b\(runs)", position: 2))
                try transaction.requireWritten(waiting)
                #expect(try remains() == ["a"])
                // What the body itself makes wait may go on waiting.
                transaction.durability = .soon
                try transaction.delete(waiting)
                try transaction.requireWritten(waiting)
            }
            #expect(runs == 2)
            #expect(undone == 1)
            #expect(heard.all == ["run 2"])
            #expect(try catalog.read { try $0.children(of: .local).map(\.filename) } == ["b2"])
        }
    }

    @Test func `a write that needs no waiting row committed runs once`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            let written = try catalog.write { try $0.insert(.folder("b", position: 2)) }
            var runs = 0
            try catalog.write { transaction in
                runs += 1
                try transaction.requireWritten(written)
                try transaction.requireAllWritten()
            }
            #expect(runs == 1)
        }
    }

    @Test func `a write that fails removes its own waiting rows, and no others`() throws {
        try Self.withCatalog { catalog, later, remains in
            let a = try Self.make("a", in: catalog)
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    transaction.durability = .soon
                    _ = try transaction.insert(.document("b", filename: "b"))
                    var changed = try #require(try transaction.entry(a))
                    changed.filename = "changed"
                    try transaction.update(changed)
                    try transaction.delete(a)
                    throw Interruption()
                }
            }
            #expect(try Self.found("a", in: catalog) == a)
            #expect(try Self.found("b", in: catalog) == nil)
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    _ = try transaction.insert(.folder("c"))
                    try transaction.delete(a)
                    throw Interruption()
                }
            }
            #expect(try Self.found("a", in: catalog) == a)
            later.come()
            #expect(try remains() == ["a"])
        }
    }

    @Test func `a write that does not wait also writes the rows that wait`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            try catalog.write { _ = try $0.insert(.folder("b", position: 2)) }
            #expect(try remains() == ["a", "b"])
        }
    }

    @Test func `a sync writes the rows that wait`() throws {
        try Self.withCatalog { catalog, _, remains in
            _ = try Self.make("a", in: catalog)
            try catalog.synchronize()
            #expect(try remains() == ["a"])
        }
    }

    @Test func `closing the catalog writes the rows that wait`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog", scheduler: { _ in })
            _ = try Self.make("a", in: catalog)
            try catalog.close()
            let again = try Catalog(path: folder + "/catalog")
            #expect(try again.read { try $0.children(of: .local).map(\.filename) } == ["a"])
            try again.close()
        }
    }

    @Test func `events are announced once, in order, after a write that succeeded`() throws {
        try Self.withCatalog { catalog, _, _ in
            let heard = Heard()
            catalog.setListener(
                Catalog.Listener { events in
                    for case .nameChanged(let name, _) in events { heard.add(name) }
                } failed: { _ in
                    heard.add("failed")
                } delayed: { _ in
                })
            try catalog.write { transaction in
                transaction.announce(.nameChanged("a", in: .local))
                transaction.announce(.nameChanged("b", in: .local))
                #expect(heard.all == [])
            }
            #expect(heard.all == ["a", "b"])
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    transaction.announce(.nameChanged("c", in: .local))
                    throw Interruption()
                }
            }
            #expect(heard.all == ["a", "b"])
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    _ = try transaction.insert(.folder("d"))
                    throw Interruption()
                }
            }
            #expect(heard.all == ["a", "b", "failed"])
            catalog.setListener(nil)
        }
    }

    /// Otherwise the next start would give out numbers again.
    @Test func `inode numbers are not given out again after a rollback and a restart`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog", scheduler: { _ in })
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

    @Test func `at most 4,000 rows wait`() throws {
        try Self.withCatalog { catalog, _, remains in
            for number in 0..<4100 {
                try catalog.write { transaction in
                    transaction.durability = .soon
                    _ = try transaction.insert(.document("\(number)", filename: "\(number)"))
                }
            }
            #expect(try remains().count >= 4000)
        }
    }

    @Test func `without a scheduler every row is written at once`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog")
            _ = try Self.make("a", in: catalog)
            try catalog.abandon()
            let again = try Catalog(path: folder + "/catalog")
            #expect(try again.read { try $0.children(of: .local).map(\.filename) } == ["a"])
            try again.close()
        }
    }

    @Test func `the last position is right after insertions and deletions`() throws {
        try Self.withCatalog { catalog, _, _ in
            try catalog.write { transaction in
                #expect(try transaction.lastPosition(in: .local) == .zero)
                let inode = try transaction.insert(.folder("a", position: 7.5))
                #expect(try transaction.lastPosition(in: .local) == 7.5)
                try transaction.insert(.folder("b", position: 3))
                #expect(try transaction.lastPosition(in: .local) == 7.5)
                try transaction.delete(inode)
                #expect(try transaction.lastPosition(in: .local) >= 3)
            }
        }
    }
}
