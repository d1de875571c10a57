import Catalog
import Documents
import Testing

/// The catalog's tables about the container: its committed state, and records that wait to be committed.
struct ReplicaTableTests {
    private let parent = EntryID(numbered: 50)

    private func store(
        _ number: UInt8, filename: String, fullName: String? = nil, isDeleted: Bool = false,
        leaves: [VersionID] = [], _ transaction: Transaction
    ) throws {
        try transaction.storeReplicaRecord(
            [number], id: EntryID(numbered: number), parent: parent, filename: filename, fullName: fullName,
            isDeleted: isDeleted, leaves: leaves)
    }

    @Test func `a record is found by id, by filename and by full name`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try store(2, filename: "b", fullName: "Plan.txt", transaction)
                try store(1, filename: "a", fullName: "Plan.txt", transaction)
                #expect(try transaction.replicaRecord(EntryID(numbered: 1)) == [1])
                #expect(try transaction.replicaRecord(EntryID(numbered: 3)) == nil)
                #expect(try transaction.replicaEntries(in: parent, filename: "b") == [EntryID(numbered: 2)])
                #expect(
                    try transaction.replicaDocuments(in: parent, fullName: "Plan.txt")
                        == [EntryID(numbered: 1), EntryID(numbered: 2)])
                #expect(try transaction.replicaEntries(in: .cloudRoot, filename: "b").isEmpty)
                #expect(try transaction.replicaDocuments(in: .cloudRoot, fullName: "Plan.txt").isEmpty)
                #expect(try transaction.replicaHasChild(of: parent) { $0 == EntryID(numbered: 2) })
                #expect(try !transaction.replicaHasChild(of: parent) { $0 == EntryID(numbered: 3) })
                #expect(try !transaction.replicaHasChild(of: .cloudRoot) { _ in true })
            }
        }
    }

    @Test func `a deleted record is found by its id alone`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try store(1, filename: "a", fullName: "Plan.txt", isDeleted: true, transaction)
                #expect(try transaction.replicaRecord(EntryID(numbered: 1)) == [1])
                #expect(try transaction.replicaEntries(in: parent, filename: "a").isEmpty)
                #expect(try transaction.replicaDocuments(in: parent, fullName: "Plan.txt").isEmpty)
                #expect(try !transaction.replicaHasChild(of: parent) { _ in true })
            }
        }
    }

    @Test func `a record that is stored again replaces the old one`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try store(1, filename: "a", fullName: "Plan.txt", transaction)
                try transaction.storeReplicaRecord(
                    [9, 9], id: EntryID(numbered: 1), parent: .cloudRoot, filename: "z", fullName: nil,
                    isDeleted: false,
                    leaves: [])
                #expect(try transaction.replicaRecord(EntryID(numbered: 1)) == [9, 9])
                #expect(try transaction.replicaEntries(in: parent, filename: "a").isEmpty)
                #expect(try transaction.replicaEntries(in: .cloudRoot, filename: "z") == [EntryID(numbered: 1)])
                #expect(try !transaction.replicaHasChild(of: parent) { _ in true })
            }
        }
    }

    @Test func `whether an entry is deleted, and its leaves, are told without its record`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                let leaves = [VersionID(numbered: 7), VersionID(numbered: 3)]
                try store(1, filename: "a", leaves: leaves, transaction)
                try store(2, filename: "b", isDeleted: true, transaction)
                #expect(
                    try (1...3).map { try transaction.replicaIsDeleted(EntryID(numbered: $0)) } == [false, true, nil])
                #expect(
                    try (1...3).map { try transaction.replicaLeaves(of: EntryID(numbered: $0)) } == [leaves, [], nil])
            }
        }
    }

    @Test func `names in the container are compared byte for byte`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                try store(1, filename: "caf\u{e9}", fullName: "caf\u{e9}.txt", transaction)
                #expect(try transaction.replicaEntries(in: parent, filename: "caf\u{e9}") == [EntryID(numbered: 1)])
                #expect(try transaction.replicaEntries(in: parent, filename: "cafe\u{301}").isEmpty)
                #expect(try transaction.replicaDocuments(in: parent, fullName: "cafe\u{301}.txt").isEmpty)
            }
        }
    }

    @Test func `withdrawals come back, what is in a folder before the folder`() throws {
        try withCatalog { catalog in
            let shallow = Withdrawal(id: EntryID(numbered: 1), seen: [], depth: 0, bundle: nil)
            let deep = Withdrawal(id: EntryID(numbered: 3), seen: [VersionID(numbered: 7)], depth: 2, bundle: 5)
            let beside = Withdrawal(id: EntryID(numbered: 2), seen: [VersionID(numbered: 8)], depth: 2, bundle: nil)
            try catalog.write { transaction in
                for withdrawal in [shallow, deep, beside] { try transaction.store(withdrawal) }
                #expect(try transaction.withdrawals() == [beside, deep, shallow])
                #expect(try transaction.withdrawals(single: 1) == [beside, deep])
                #expect(try transaction.withdrawals(single: 0) == [deep])
                #expect(try transaction.hasWithdrawal(deep.id))
                #expect(try !transaction.hasWithdrawal(EntryID(numbered: 9)))
            }
        }
    }

    @Test func `a withdrawal is one per entry, and is deleted alone`() throws {
        try withCatalog { catalog in
            var withdrawal = Withdrawal(id: EntryID(numbered: 1), seen: [], depth: 0, bundle: nil)
            let other = Withdrawal(id: EntryID(numbered: 2), seen: [], depth: 0, bundle: nil)
            try catalog.write { transaction in
                try transaction.store(withdrawal)
                try transaction.store(other)
                withdrawal.seen = [VersionID(numbered: 1), VersionID(numbered: 3)]
                withdrawal.bundle = 3
                try transaction.store(withdrawal)
                #expect(try transaction.withdrawals() == [withdrawal, other])
                try transaction.deleteWithdrawal(withdrawal.id)
                #expect(try transaction.withdrawals() == [other])
            }
        }
    }

    @Test func `the outbox holds one commit`() throws {
        try withCatalog { catalog in
            try catalog.write { transaction in
                #expect(try transaction.outbox() == nil)
                try transaction.setOutbox([1, 0, 255], commit: CommitID(numbered: 1))
                #expect(try transaction.outbox() == [1, 0, 255])
                try transaction.setOutbox([2], commit: CommitID(numbered: 2))
                #expect(try transaction.outbox() == [2])
                try transaction.emptyOutbox()
                #expect(try transaction.outbox() == nil)
            }
        }
    }
}
