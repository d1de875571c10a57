import Catalog
import Documents
import Testing

/// A write is atomic.
struct RollbackTests {
    private struct Interruption: Error {}

    @Test func `a write that throws changes nothing`() throws {
        try withCatalog { catalog in
            let kept = try catalog.write { try $0.insert(.folder("kept")) }
            #expect(throws: Interruption.self) {
                try catalog.write { transaction in
                    try transaction.insert(.folder("gone"))
                    try transaction.delete(kept)
                    try transaction.set(.deviceName, "laptop")
                    try transaction.store(Withdrawal(id: EntryID(numbered: 1), seen: [], depth: 0, bundle: nil))
                    try transaction.setOutbox([1], commit: CommitID(numbered: 1))
                    throw Interruption()
                }
            }
            try catalog.read { rows throws in
                #expect(try rows.children(of: .local).map(\.inode) == [kept])
                #expect(try rows.setting(.deviceName) == nil)
                #expect(try rows.withdrawals().isEmpty)
                #expect(try rows.outbox() == nil)
            }
        }
    }

    @Test func `a write that SQLite refuses changes nothing and says why in one error`() throws {
        try withCatalog { catalog throws in
            let error = #expect(throws: CatalogError.self) {
                try catalog.write { transaction in
                    try transaction.set(.deviceName, "laptop")
                    try transaction.insert(.folder("a"))
                    try transaction.insert(.folder("a"))
                }
            }
            #expect(error?.description.hasPrefix("the catalog failed: ") == true)
            #expect(try catalog.read { try $0.setting(.deviceName) } == nil)
            #expect(try catalog.read { try $0.children(of: .local).isEmpty })
        }
    }

    @Test func `after a write that threw the next one works`() throws {
        try withCatalog { catalog in
            for _ in 0..<3 {
                #expect(throws: Interruption.self) {
                    try catalog.write { transaction in
                        try transaction.insert(.folder("a"))
                        throw Interruption()
                    }
                }
            }
            let inode = try catalog.write { try $0.insert(.folder("a")) }
            #expect(try catalog.read { try $0.entry(in: .local, filename: "a")?.inode } == inode)
        }
    }

    @Test func `numbers stay unique however many are given out, and whatever is rolled back between`() throws {
        try withCatalog { catalog in
            var seen: Set<InodeNumber> = []
            for round in 0..<3 {
                #expect(throws: Interruption.self) {
                    try catalog.write { transaction in
                        try transaction.insert(.folder("gone"))
                        throw Interruption()
                    }
                }
                // More than are set aside at once, the last of them in a transaction that fails.
                try catalog.write { transaction throws in
                    for number in 0..<700 {
                        #expect(seen.insert(try transaction.insert(.folder("\(round) \(number)"))).inserted)
                    }
                }
                #expect(throws: Interruption.self) {
                    try catalog.write { transaction in
                        for number in 0..<400 { try transaction.insert(.folder("gone \(number)")) }
                        throw Interruption()
                    }
                }
            }
        }
    }

    @Test func `a write sees what it has written`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let inode = try transaction.insert(.folder("a"))
                #expect(try transaction.entry(inode) != nil)
                try transaction.delete(inode)
                #expect(try transaction.entry(inode) == nil)
            }
        }
    }
}
