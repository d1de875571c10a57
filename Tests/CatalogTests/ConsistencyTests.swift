@testable import Catalog
import Documents
import GRDB
import TestSupport
import Testing

/// Rows that contradict other rows, as `docfs check` finds them.
struct ConsistencyTests {
    @Test func `entries in no folder, in a file, or in one another are not reached from the top`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let folders = try catalog.insertFolders(["a", "b", "c"])
                let document = try catalog.insert(.document("Plan.txt", filename: "1.txt", in: folders[2]))
                #expect(try catalog.unreachableEntries().isEmpty)
                let inFile = try catalog.insert(.folder("inside", in: document))
                let nowhere = try catalog.insert(.folder("nowhere", in: InodeNumber(9999)))
                #expect(Set(try catalog.unreachableEntries().map(\.inode)) == [inFile, nowhere])
                var second = try #require(try catalog.entry(folders[1]))
                second.parent = folders[2]
                try catalog.update(second)
                let expected: Set = [inFile, nowhere, folders[1], folders[2], document]
                #expect(Set(try catalog.unreachableEntries().map(\.inode)) == expected)
            }
        }
    }

    @Test func `an entry has the container of its folder`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                try catalog.insert(.folder("right", in: .cloud, location: .cloud))
                #expect(try catalog.misplacedEntries().isEmpty)
                let wrong = try catalog.insert(.folder("wrong", in: .cloud, location: .local))
                let beside = try catalog.insert(.folder("beside", in: .documents, location: .local))
                #expect(Set(try catalog.misplacedEntries().map(\.inode)) == [wrong, beside])
            }
        }
    }

    @Test func `a folder has an unclear order if a key in it is none, or that of two entries`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                let folders = try catalog.insertFolders(["a"]) + [try catalog.insert(.folder("b"))]
                for (number, folder) in [(1, folders[0]), (2, folders[0]), (3, folders[1])] {
                    try catalog.insert(
                        .document(
                            "\(number)", filename: "\(number)", in: folder, position: OrderKey(number: Double(number)),
                            id: EntryID(numbered: UInt8(number))))
                }
                #expect(try catalog.foldersWithUnclearOrder().isEmpty)
                var same = try #require(try catalog.entry(in: folders[0], filename: "2"))
                same.position = OrderKey(number: 1)
                try catalog.update(same)
                #expect(try catalog.foldersWithUnclearOrder() == [folders[0]])
                var none = try #require(try catalog.entry(in: folders[1], filename: "3"))
                none.position = OrderKey(unchecked: "?")
                try catalog.update(none)
                #expect(try catalog.foldersWithUnclearOrder() == Set(folders))
            }
        }
    }

    @Test func `entries of the cloud and of the container that the other does not have are found`() throws {
        try withCatalog { catalog in
            try catalog.write { catalog in
                for number in [1, 2, 3] as [UInt8] {
                    var entry = try Entry.document(
                        "\(number)", filename: "\(number)", in: .cloud, location: .cloud, id: EntryID(numbered: number)
                    )
                    if number == 3 { entry.pending = .creation }
                    try catalog.insert(entry)
                }
                for number in [1, 4, 5] as [UInt8] {
                    try catalog.storeReplicaRecord(
                        [], id: EntryID(numbered: number), parent: .cloudRoot, filename: "\(number)", fullName: nil,
                        isDeleted: number == 5)
                }
                #expect(try catalog.entriesUnknownToContainer().map(\.filename) == ["2"])
                #expect(try catalog.replicaEntriesNotShown() == [EntryID(numbered: 4)])
                try catalog.store(Withdrawal(id: EntryID(numbered: 4), seen: [], depth: 0, step: nil))
                #expect(try catalog.replicaEntriesNotShown().isEmpty)
            }
        }
    }

    @Test func `a step belongs to an action`() throws {
        try withTemporaryFolder { folder throws in
            let path = folder + "/catalog"
            let first = try Catalog(path: path)
            try first.write { catalog in
                for number in [1, 2] as [Int64] {
                    try catalog.append(
                        ActionStep(
                            action: number, number: 0, change: .removed,
                            entry: .document("\(number)", filename: "\(number)"), folder: nil),
                        of: ActionRecord(id: number, time: Timestamp(nanoseconds: 1), name: ActionName(.delete)))
                }
                #expect(try catalog.stepsWithoutAction().isEmpty)
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
