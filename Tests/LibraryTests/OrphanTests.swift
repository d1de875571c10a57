import Backing
import Catalog
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Orphans of which the kernel still has a name in its cache.
@Suite(.timeLimit(.minutes(3)))
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
}
