@testable import Catalog
import Documents
import Testing

/// The numbers of enumerations in columns and in SQL. They are part of the catalog's format.
struct StoredCodeTests {
    @Test func `the numbers of kinds, namings and containers never change`() {
        #expect([EntryKind.folder, .document, .scratch, .symbolicLink].map(\.code) == [0, 1, 2, 3])
        #expect([Naming.given, .automatic, .untitled].map(\.code) == [0, 1, 2])
        #expect([Location.local, .cloud].map(\.code) == [0, 1])
    }

    @Test func `the numbers of pending changes never change`() {
        let changes: [PendingChanges] = [
            .creation, .content, .name, .place, .attributes, .mode, .modified, .position, .revival,
        ]
        #expect(changes.map(\.code) == [1, 2, 4, 8, 16, 32, 64, 128, 256])
        #expect(PendingChanges([.creation, .content]).code == 3)
    }

    @Test func `the numbers of the stages of an upload never change`() {
        #expect([UploadedContent.Stage.underWay, .finished, .abandoned].map(\.rawValue) == [0, 1, 2])
    }

    @Test func `a number means what it was made from`() {
        for kind in [EntryKind.folder, .document, .scratch, .symbolicLink] {
            #expect(EntryKind(code: kind.code) == kind)
        }
        for naming in [Naming.given, .automatic, .untitled] { #expect(Naming(code: naming.code) == naming) }
        for location in Location.allCases { #expect(Location(code: location.code) == location) }
        #expect(PendingChanges(code: 257) == [.creation, .revival])
    }

    @Test func `SQL has the number for the name`() {
        #expect(EntryKind.symbolicLink.sql == "3")
        #expect(Naming.automatic.sql == "1")
        #expect(Location.cloud.sql == "1")
        #expect(PendingChanges.revival.sql == "256")
    }

    @Test func `conditions are what the indexes were made with`() {
        #expect(EntryCondition.isPending.description == "pending<>0")
        #expect(EntryCondition.hasNewContent.description == "pending & 2")
        #expect(EntryCondition.isAwaited.description == "isHere=0 AND (container=0 OR awaited IS NOT NULL)")
        #expect(EntryCondition.hasNews.description == "pending<>0 AND pending<>256")
        #expect(
            EntryCondition.isOnlyNewContent.description == "kind=1 AND pending & 2 AND (pending & 1 OR pending=2)")
        #expect(
            EntryCondition.isNotCurrent.description
                == "kind=1 AND NOT (isHere AND (pending & 2 OR currentVersion IS contentVersion))")
    }
}
