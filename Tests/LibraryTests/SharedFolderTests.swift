import Documents
import Backing
import Catalog
import Glibc
@testable import Library
import SystemPackage
import Testing

/// What another user makes (`--allow-other`).
@Suite(.timeLimit(.minutes(15)))
struct SharedFolderTests {
    @Test(.enabled(if: geteuid() == 0, "only the superuser gives files away"), arguments: [InodeNumber.local, .cloud])
    func `what another user makes in a set-group-id folder has its group`(container: InodeNumber) async throws {
        try await withDevice { device in
            let (library, user) = (device.library, Creator(owner: 12345, group: 12346, mode: 0o755))
            let shared = try device.makeFolder("Shared", in: container)
            try device.change(shared) { $0.group = 54321 }
            try device.change(shared) { $0.mode = 0o2777 }
            for (folder, group) in [(shared, UInt32(54321)), (container, 12346)] {
                var setID = user
                setID.mode = 0o2755
                let (file, opening) = try library.create(
                    Array("Tool".utf8), in: folder, by: setID, flags: O_WRONLY | O_EXCL)
                library.close(try device.opened(opening))
                let inner = try library.makeFolder(Array("Inner".utf8), in: folder, by: user)
                let link = try library.makeSymbolicLink(Array("link".utf8), to: [97], in: folder, by: user)
                for made in [file, inner, link] {
                    let found = try library.attributes(of: made.node)
                    #expect(found.owner == 12345 && found.group == group)
                }
                #expect(try library.attributes(of: file.node).mode == 0o2755)
                #expect(try library.attributes(of: inner.node).mode == (folder == shared ? 0o2755 : 0o755))
            }
        }
    }
}
