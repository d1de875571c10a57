@testable import Catalog
import Documents
import GRDB
import TestSupport
import Testing

/// Rows that contradict other rows, as `docfs check` finds them.
struct ConsistencyTests {
    @Test func `entries in no folder, in a file, or in one another are not reached from the top`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a", "b", "c"])
                let document = try transaction.insert(.document("Plan.txt", filename: "1.txt", in: folders[2]))
                #expect(try transaction.unreachableEntries().isEmpty)
                let inFile = try transaction.insert(.folder("inside", in: document))
                let nowhere = try transaction.insert(.folder("nowhere", in: InodeNumber(9999)))
                #expect(Set(try transaction.unreachableEntries().map(\.inode)) == [inFile, nowhere])
                var second = try #require(try transaction.entry(folders[1]))
                second.parent = folders[2]
                try transaction.update(second)
                let expected: Set = [inFile, nowhere, folders[1], folders[2], document]
                #expect(Set(try transaction.unreachableEntries().map(\.inode)) == expected)
            }
        }
    }

    @Test func `an entry has the container of its folder`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try transaction.insert(.folder("right", in: .cloud, location: .cloud))
                #expect(try transaction.misplacedEntries().isEmpty)
                let wrong = try transaction.insert(.folder("wrong", in: .cloud, location: .local))
                let beside = try transaction.insert(.folder("beside", in: .documents, location: .local))
                #expect(Set(try transaction.misplacedEntries().map(\.inode)) == [wrong, beside])
            }
        }
    }

    @Test func `a folder has an unclear order if a key in it is none, or that of two entries`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let folders = try transaction.insertFolders(["a"]) + [try transaction.insert(.folder("b"))]
                for (number, folder) in [(1, folders[0]), (2, folders[0]), (3, folders[1])] {
                    try transaction.insert(
                        .document(
                            "\(number)", filename: "\(number)", in: folder, position: OrderKey(number: Double(number)),
                            id: EntryID(numbered: UInt8(number))))
                }
                #expect(try transaction.foldersWithUnclearOrder().isEmpty)
                var same = try #require(try transaction.entry(in: folders[0], filename: "2"))
                same.position = OrderKey(number: 1)
                try transaction.update(same)
                #expect(try transaction.foldersWithUnclearOrder() == [folders[0]])
                var none = try #require(try transaction.entry(in: folders[1], filename: "3"))
                none.position = OrderKey(unchecked: "?")
                try transaction.update(none)
                #expect(try transaction.foldersWithUnclearOrder() == Set(folders))
            }
        }
    }

    @Test func `entries of the cloud and of the container that the other does not have are found`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                for number in [1, 2, 3] as [UInt8] {
                    var entry = try Entry.document(
                        "\(number)", filename: "\(number)", in: .cloud, location: .cloud, id: EntryID(numbered: number)
                    )
                    if number == 3 { entry.pending = .creation }
                    try transaction.insert(entry)
                }
                for number in [1, 4, 5] as [UInt8] {
                    try transaction.storeReplicaRecord(
                        [], id: EntryID(numbered: number), parent: .cloudRoot, filename: "\(number)", fullName: nil,
                        isDeleted: number == 5, leaves: [])
                }
                #expect(try transaction.entriesUnknownToContainer().map(\.filename) == ["2"])
                #expect(try transaction.replicaEntriesNotShown() == [EntryID(numbered: 4)])
                try transaction.store(Withdrawal(id: EntryID(numbered: 4), seen: [], depth: 0, bundle: nil))
                #expect(try transaction.replicaEntriesNotShown().isEmpty)
            }
        }
    }

    @Test func `a step belongs to an action`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            try first.write { transaction in
                for number in [1, 2] as [Int64] {
                    try transaction.append(
                        ActionStep(
                            action: number, number: 0, change: .removed,
                            entry: .document("\(number)", filename: "\(number)"), folder: nil),
                        of: ActionRecord(id: number, time: Timestamp(nanoseconds: 1), name: ActionName(.delete)))
                }
                #expect(try transaction.stepsWithoutAction().isEmpty)
            }
            try first.close()
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: "DELETE FROM actions WHERE number=2") }
            try queue.close()
            let catalog = try Catalog(path: path)
            #expect(try catalog.read { try $0.stepsWithoutAction().map(\.action) } == [2])
            try catalog.close()
        }
    }
}
