import Catalog
import Documents
import Testing

struct EntryRuleTests {
    @Test func `a document with an older version than the container's is outdated`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, location: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 1)
        #expect(entry.isOutdated)
        #expect(!entry.isBackingCurrent)
        entry.contentVersion = VersionID(numbered: 2)
        #expect(!entry.isOutdated)
        #expect(entry.isBackingCurrent)
    }

    @Test func `a document that was edited here is what this device shows`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, location: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.contentVersion = VersionID(numbered: 1)
        entry.pending = .content
        #expect(!entry.isOutdated)
        #expect(entry.isBackingCurrent)
    }

    @Test func `a placeholder is not outdated, and its content is not here`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, location: .cloud)
        entry.currentVersion = VersionID(numbered: 2)
        entry.isHere = false
        #expect(!entry.isOutdated)
        #expect(!entry.isBackingCurrent)
    }

    @Test func `only what has an id and is in the cloud is replicated`() throws {
        var entry = try Entry.document("a.txt", filename: "a.txt", in: .cloud, location: .cloud)
        #expect(!entry.isReplicated)
        entry.id = EntryID(numbered: 1)
        #expect(entry.isReplicated)
        entry.location = .local
        #expect(!entry.isReplicated)
    }
}
