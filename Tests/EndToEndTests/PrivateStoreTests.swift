import Glibc
import MountSupport
import SystemPackage
import Testing

/// Other users who may enter the store's folder can read only the documents whose modes allow it.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct PrivateStoreTests {
    private static let ownFolders = ["staging", "trash"]

    /// docfs's own files and folders, without `local` and `cloud`.
    private static func expectPrivate(_ store: FilePath, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> Set<String>
    {
        let names = try store.listing().filter { $0 != "local" && $0 != "cloud" }
        for name in names {
            let wanted: FilePermissions = ownFolders.contains(name) ? [.ownerReadWriteExecute] : [.ownerReadWrite]
            #expect(try (store / name).stat().permissions == wanted, "\(name)", sourceLocation: sourceLocation)
        }
        return Set(names)
    }

    @Test func `docfs's own files are the owner's alone in a store that others may enter`() async throws {
        try await withUnmountedDevice { device in
            // The daemon clears its umask, whatever the shell's is.
            try device.store.makeFolder()
            try #require(try device.store.stat().permissions.contains(.otherReadExecute))
            try await device.mount()
            try (device.local / "Plan.txt").create("plan")
            try (device.local / "Plan.txt").setPermissions([.ownerReadWrite, .groupRead, .otherRead])
            try (device.cloud / "Groceries.txt").create("milk")
            try await device.waitUntilUploaded(device.cloud / "Groceries.txt")
            _ = try await device.docfs("check", "--repair", device.mountpoint.string)
            let names = try Self.expectPrivate(device.store)
            #expect(names.isSuperset(of: ["catalog.sqlite", "catalog.sqlite-wal", "docfs.log", "lock", "staging"]))
            let document = device.storedLocal / (try (device.local / "Plan.txt").filename())
            #expect(try document.stat().permissions == [.ownerReadWrite, .groupRead, .otherRead])
            try await device.unmount()
            #expect(try Self.expectPrivate(device.store).contains("clean"))
        }
    }

    @Test(arguments: [false, true])
    func `files that others could read become the owner's alone at the next mount`(isEncrypted: Bool) async throws {
        try await withDevice(isEncrypted ? .encrypted : .plain) { device in
            try (device.local / "Plan.txt").create("plan")
            try await device.unmount()
            for name in try device.store.listing() where name != "local" && name != "cloud" {
                try (device.store / name).setPermissions(FilePermissions(rawValue: 0o755))
            }
            try await device.mount()
            _ = try Self.expectPrivate(device.store)
            #expect(try (device.local / "Plan.txt").text() == "plan")
        }
    }
}
