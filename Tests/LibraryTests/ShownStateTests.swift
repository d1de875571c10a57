import Backing
import Catalog
import Documents
@testable import Library
import Testing

/// What docfs says of documents in states, attributes and virtual files.
struct ShownStateTests {
    @Test(arguments: [false, true], [false, true])
    func `savingError is shown where a content that is to be sent has failed`(hasFailed: Bool, isPending: Bool)
        async throws
    {
        try await withDevice { device in
            try device.create("Plan.txt", "plan")
            let entry = try device.entry("Plan.txt")
            try device.library.transactions.mutate { transaction in
                var changed = entry
                changed.error = hasFailed ? "the disk is full" : nil
                if !isPending { changed.pending = [] }
                try transaction.update(changed)
            }
            let text = try device.library.stateText(of: entry.inode, waitsForCloses: false)
            #expect(text.hasPrefix(hasFailed && isPending ? "state: closed savingError\n" : "state: closed\n"))
            #expect(text.contains("error: the disk is full\n") == hasFailed)
        }
    }

    @Test func `the state of a document is found by each of its names, and not where one is to be made`() async throws {
        try await withDevice { device in
            let inode = try device.create("Plan.txt", "plan", in: .local)
            for name in ["Plan.txt", try device.entry("Plan.txt", in: .local).filename] {
                let found = try device.library.lookupState(of: name.utf8, in: .local) { .existing }
                #expect(found.node == .state(of: inode))
            }
            #expect(throws: Refusal.noSuchName) {
                _ = try device.library.lookupState(of: "List.txt".utf8, in: .local) { .existing }
            }
            for (folder, purpose) in [(InodeNumber.local, LookupPurpose.creation), (.root, .existing)] {
                #expect(throws: Refusal.name(.notUTF8)) {
                    _ = try device.library.lookupState(of: "Plan.txt".utf8, in: folder) { purpose }
                }
            }
        }
    }

    @Test func `a document says its name in both attributes, and .order can be written`() async throws {
        try await withDevice { device in
            let inode = try device.create("Plan.txt", "plan", in: .local)
            for name in ["user.displayName", "user.document.name"] {
                #expect(try device.library.extendedAttribute(name, of: .entry(inode)) == Array("Plan".utf8))
            }
            #expect(try device.library.attributes(of: .order(of: .local)).mode == 0o644)
            #expect(try device.library.attributes(of: .state(of: .local)).mode == 0o444)
        }
    }

    @Test func `a display name that was stored with a scratch file is no attribute of the document`() async throws {
        try await withDevice { device in
            let inode = try device.create("x.tmp", "x", in: .local)
            for name in ["user.displayName", "user.colour"] {
                try device.library.setExtendedAttribute(name, to: Array("Foo".utf8), of: .entry(inode), .either)
            }
            try device.rename("x.tmp", in: .local, to: "y.txt")
            #expect(
                try device.library.extendedAttributeNames(of: .entry(inode)) == ["user.document.name", "user.colour"])
            #expect(try device.entry("y.txt", in: .local).name?.displayName == "y")
        }
    }

    @Test func `the times of Documents can be set, its owner not`() async throws {
        try await withDevice { device in
            let before = try device.library.attributes(of: .entry(.documents))
            let attributes = try device.change(.documents) { changes in
                changes.modified = .at(Timestamp(nanoseconds: 1_500_000_000_000_000_000))
                (changes.owner, changes.group) = (before.owner, before.group)
            }
            #expect(attributes.modified == Timestamp(nanoseconds: 1_500_000_000_000_000_000))
            for change in [\AttributeChanges.owner, \.group] {
                #expect(throws: Refusal.ownerOfTheTree) {
                    _ = try device.change(.documents) { $0[keyPath: change] = before.owner &+ 4711 }
                }
            }
        }
    }
}
