import Backing
import Catalog
@testable import CloudSynchronization
import Documents
@testable import Library
import Testing

/// Folders that lie in each other tens of thousands of levels deep: chdir(2) and mkdir(2) make them, however short the longest path is.
@Suite(.timeLimit(.minutes(15)))
struct DeepFolderTests {
    private static let depth = 50_000

    /// Rows are enough here.
    private static func insertFolders(in location: Location, on device: TestDevice) throws -> Entry {
        try device.library.store.catalog.write { transaction in
            var parent = location.folder
            for number in 1...depth {
                let nature = EntryNature.folder(NamingContext(keepsNames: false, isScratch: false))
                var folder = Entry(
                    parent: parent, location: location, nature: nature, filename: "d",
                    created: Timestamp(nanoseconds: 1),
                    position: .zero, mode: 0o755)
                var random = device.library.store.surroundings.random()
                folder.id = .random(using: &random)
                if location == .cloud { folder.pending = .creation }
                folder.inode = try transaction.insert(folder)
                if number == depth { return folder }
                parent = folder.inode
            }
            fatalError("no folder was made")
        }
    }

    @Test func `a folder is prepared for the container with all that it lies in`() async throws {
        try await withDevice { device in
            let deepest = try Self.insertFolders(in: .cloud, on: device)
            var (folders, pending) = (ParentFolders(), [deepest.inode: deepest])
            try device.library.store.read { try folders.add(foldersOf: &pending, $0) }
            #expect(folders.depths[deepest.parent] == Self.depth - 1)
            #expect(pending.count == Self.depth)
        }
    }

    @Test func `a folder has its counterpart at the preferred location`() async throws {
        try await withDevice { device in
            let deepest = try Self.insertFolders(in: .local, on: device)
            let twin = try Self.insertFolders(in: .cloud, on: device)
            device.library.namespace.setPreferredLocation(.cloud)
            #expect(
                try device.library.store.read {
                    try device.library.preferredLocation.counterpart(of: deepest.inode, $0)
                }
                    == twin.inode)
            device.library.namespace.setPreferredLocation(.local)
        }
    }
}
