import Backing
import Catalog
import Documents
import Foundation
import Glibc
@testable import Library
import SystemPackage
import Testing
import TestSupport

/// Orphans of which the kernel still has a name in its cache.
@Suite(.timeLimit(.minutes(15)))
struct OrphanTests {
    @Test func `the attributes of an open orphan can be read before the kernel has forgotten its names`()
        async throws
    {
        try await withDevice { device in
            let library = device.library
            library.observer = ObserverSpy(forgetsNames: false)
            let inode = try device.create("Letter.txt", in: .local)
            try library.setExtendedAttribute("user.colour", to: Array("red".utf8), of: .entry(inode), .either)
            let number = try await device.open(inode, O_RDWR)
            try device.remove("Letter.txt", in: .local)

            try library.setExtendedAttribute("user.shape", to: Array("round".utf8), of: .entry(inode), .mustCreate)
            try library.setExtendedAttribute("user.displayName", to: Array("Gone".utf8), of: .entry(inode), .either)
            try library.removeExtendedAttribute("user.colour", of: .entry(inode))
            #expect(try library.extendedAttribute("user.shape", of: .entry(inode)) == Array("round".utf8))
            #expect(try library.extendedAttributeNames(of: .entry(inode)).contains("user.colour") == false)
            #expect(try library.attributes(of: .entry(inode)).links == 0)
            library.close(number)
        }
    }

    /// The kernel answers EIO to everything once an inode is of another kind than before.
    @Test func `a folder that was removed is still a folder with its mode, for those who stand in it`() async throws {
        try await withDevice { device in
            let library = device.library
            let inode = try device.makeFolder("gone", in: .local)
            let before = try library.attributes(of: .entry(inode))
            try library.removeFolder(Array("gone".utf8), in: .local)
            let after = try library.attributes(of: .entry(inode))
            #expect((after.type, after.mode) == (before.type, before.mode))
            #expect(after.links == 0)
            let (accessed, modified) = (Timestamp(nanoseconds: 1_000), Timestamp(nanoseconds: 2_000))
            let changed = try device.change(inode) { ($0.accessed, $0.modified) = (.at(accessed), .at(modified)) }
            #expect((changed.accessed, changed.modified) == (accessed, modified))
        }
    }

    /// Another program put it into the store, and no row tells of it.
    @Test func `a folder that cannot be removed keeps its row`() async throws {
        try await withDevice { device in
            let inode = try device.makeFolder("Folder", in: .local)
            let file = device.store + "/local/Folder/stranger"
            try Data("stranger".utf8).write(to: URL(fileURLWithPath: file))
            try device.library.transactions.mutate { transaction in
                let entry = try #require(try transaction.entry(inode))
                #expect(throws: Errno.directoryNotEmpty) {
                    try device.library.tree.removal.removeFolder(entry, transaction)
                }
            }
            #expect(try device.names(in: .local) == ["Folder"])
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `an orphan that no process has open is looked up again until the kernel has forgotten its names`()
        async throws
    {
        try await withDevice { device in
            device.library.observer = ObserverSpy(forgetsNames: false)
            let inode = try device.create("Letter.txt", in: .local)
            try device.remove("Letter.txt", in: .local)
            #expect(throws: Refusal.staleInode) {
                try device.library.extendedAttributeNames(of: .entry(inode))
            }
        }
    }

    // MARK: A document that is saved by renaming while another process opens it

    @Test
    func `an open during a save by renaming reads the old content, and ESTALE only follows while a name is cached`()
        throws
    {
        var entry = Entry(
            parent: .local, location: .local, nature: .scratch, filename: "a.tmp", created: Timestamp(nanoseconds: 0),
            position: 0, mode: 0o600)
        let inode = InodeNumber(17)
        entry.inode = inode
        let orphans = Orphans()
        orphans.add(entry, .placeholder(entry), content: Descriptor(open("/dev/null", O_RDONLY)))
        #expect(orphans.replaced(inode) != nil)
        #expect(!orphans.contains(inode))
        orphans.markReachedByCachedName(inode)
        #expect(orphans.replaced(inode) == nil)
        orphans.markNameless(inode)
        #expect(orphans.replaced(inode) != nil)
        #expect(orphans.contains(inode))
    }
}
