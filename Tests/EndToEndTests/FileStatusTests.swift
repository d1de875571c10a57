import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct FileStatusTests {
    @Test(arguments: ["local", "cloud"])
    func `utimens sets times with nanoseconds`(container: String) async throws {
        try await withDevice { device in
            let document = device.documents / container / "Groceries.txt"
            try document.create("milk")
            let accessed = timespec(tv_sec: 1_500_000_000, tv_nsec: 111_222_333)
            let modified = timespec(tv_sec: 1_600_000_000, tv_nsec: 999_999_999)
            try document.setTimes(accessed: accessed, modified: modified)
            for _ in 1...2 {
                let status = try document.stat()
                #expect(status.st_atim.tv_sec == accessed.tv_sec)
                #expect(status.st_atim.tv_nsec == accessed.tv_nsec)
                #expect(status.st_mtim.tv_sec == modified.tv_sec)
                #expect(status.st_mtim.tv_nsec == modified.tv_nsec)
                try await device.remount()
            }
        }
    }

    @Test func `utimens knows now and omit`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let long = timespec(tv_sec: 1_500_000_000, tv_nsec: 5)
            try document.setTimes(accessed: long, modified: long)
            try document.setTimes(
                accessed: timespec(tv_sec: 0, tv_nsec: SpecialTime.omit),
                modified: timespec(tv_sec: 0, tv_nsec: SpecialTime.now))
            let status = try document.stat()
            #expect(status.st_atim.tv_sec == 1_500_000_000)
            #expect(status.st_mtim.tv_sec > 1_700_000_000)
        }
    }

    @Test func `writing moves the time of modification, reading and renaming do not`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let past = timespec(tv_sec: 1_500_000_000, tv_nsec: 7)
            try document.setTimes(accessed: past, modified: past)
            _ = try document.text()
            let renamed = device.local / "Shopping.txt"
            try document.rename(to: renamed)
            #expect(try renamed.stat().st_mtim.tv_sec == past.tv_sec)
            try renamed.append(", eggs")
            #expect(try renamed.stat().st_mtim.tv_sec > past.tv_sec)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `chmod works and stays`(container: String) async throws {
        try await withDevice { device in
            let document = device.documents / container / "script.sh"
            try document.create("#!/bin/sh\necho works\n")
            try document.setPermissions([.ownerReadWriteExecute])
            #expect(try document.stat().permissions == [.ownerReadWriteExecute])
            let output = try await device.shell("./\(container)/script.sh")
            #expect(output.line == "works")
            let folder = device.documents / container / "Folder"
            try folder.makeFolder()
            try folder.setPermissions([.ownerReadWriteExecute])
            try await device.remount()
            #expect(try document.stat().permissions == [.ownerReadWriteExecute])
            #expect(try folder.stat().permissions == [.ownerReadWriteExecute])
        }
    }

    @Test func `a document is created with the permissions asked for`() async throws {
        try await withDevice { device in
            let document = device.local / "Secret.txt"
            try document.open(.writeOnly, .create, permissions: .ownerReadWrite).close()
            #expect(try document.stat().permissions == .ownerReadWrite)
            try await device.shell("umask 027; : > local/Masked.txt; mkdir local/Masked")
            #expect(
                try (device.local / "Masked.txt").stat().permissions
                    == [.ownerReadWrite, .groupRead])
            #expect(
                try (device.local / "Masked").stat().permissions
                    == [.ownerReadWriteExecute, .groupRead, .groupExecute])
        }
    }

    @Test func `a document belongs to who made it and has one link`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let status = try document.stat()
            #expect(status.type == .regular)
            #expect(status.linkCount == 1)
            #expect(status.userID.rawValue == getuid())
            #expect(status.groupID.rawValue == getgid())
            #expect(status.size == 4)
        }
    }

    @Test func `an inode number is one document's for the whole of a mount`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let inode = try document.stat().inode
            let renamed = device.local / "Shopping.txt"
            try document.rename(to: renamed)
            try renamed.rename(to: device.cloud / "Shopping.txt")
            #expect(try (device.cloud / "Shopping.txt").stat().inode == inode)
            let file = try (device.cloud / "Shopping.txt").open(.readOnly)
            #expect(try file.descriptor.stat().inode == inode)
        }
    }

    @Test func `statfs is that of the store`() async throws {
        try await withDevice { device in
            var ofMount = statvfs()
            var ofStore = statvfs()
            for path in [device.mountpoint, device.local, device.cloud] {
                try path.call { statvfs($0, &ofMount) }
                try device.store.call { statvfs($0, &ofStore) }
                #expect(
                    ofMount.f_blocks * ofMount.f_frsize == ofStore.f_blocks * ofStore.f_frsize)
                // Other tests write meanwhile; a tenth is far more than they do.
                let free = Double(ofStore.f_bavail * ofStore.f_frsize)
                #expect(abs(Double(ofMount.f_bavail * ofMount.f_frsize) - free) < free / 10)
                #expect(ofMount.f_namemax == 255)
            }
        }
    }

    @Test func `access follows the permissions`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try document.setPermissions([.ownerRead])
            #expect(try document.call { access($0, R_OK) } == 0)
            #expect(throws: Errno.permissionDenied) { try document.call { access($0, X_OK) } }
            if getuid() != 0 {
                #expect(throws: Errno.permissionDenied) { try document.open(.writeOnly) }
            }
        }
    }
}
