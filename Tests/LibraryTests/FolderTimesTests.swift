import Backing
import Catalog
import Documents
@testable import Library
import Testing
import TestSupport

/// The modification times of folders in which this device and others change something.
@Suite(.timeLimit(.minutes(15)))
struct FolderTimesTests {
    private static func time(_ seconds: Int) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 0) }

    /// A folder that the container knows with the time 100.
    private static func folder(_ inode: Int64 = 10, pending: PendingChanges = []) -> Entry {
        var folder = Entry(
            parent: .cloud, location: .cloud, nature: .folder(NamingContext(keepsNames: false, isScratch: false)),
            filename: "Folder", created: time(1), position: 0, mode: 0o755)
        folder.inode = InodeNumber(inode)
        folder.modified = time(100)
        folder.pending = pending
        return folder
    }

    /// `FolderTimes` by reference: `#expect` cannot call its mutating methods.
    private final class Times {
        private var times = FolderTimes()

        func insert(_ folder: InodeNumber, time: Timestamp) { times.insert(folder, time: time) }

        func willChangeEntries(of folder: Entry, storeTime: @autoclosure () -> Timestamp) -> Bool {
            times.willChangeEntries(of: folder, storeTime: storeTime())
        }

        func change(_ folder: Entry, to time: Timestamp, storeTime: Timestamp) {
            times.change(folder, to: time, storeTime: storeTime)
        }

        func removeAll() -> [InodeNumber: Timestamp] { times.removeAll() }
    }

    // MARK: Entries change

    @Test func `a folder that only others changed keeps the container's time`() {
        let times = Times()
        let folder = Self.folder()
        #expect(times.willChangeEntries(of: folder, storeTime: Self.time(100)))
        #expect(times.removeAll() == [folder.inode: Self.time(100)])
    }

    @Test func `a folder with a change of this device keeps the time of that change`() {
        let times = Times()
        #expect(times.willChangeEntries(of: Self.folder(), storeTime: Self.time(150)))
        #expect(times.removeAll() == [:])
    }

    @Test func `a time that is pending is not replaced`() {
        let times = Times()
        #expect(times.willChangeEntries(of: Self.folder(pending: .modified), storeTime: Self.time(100)))
        #expect(times.removeAll() == [:])
    }

    @Test func `local and cloud have no time in the container`() {
        let times = Times()
        #expect(times.willChangeEntries(of: Self.folder(InodeNumber.cloud.number), storeTime: Self.time(100)))
        #expect(times.removeAll() == [:])
    }

    @Test func `only the first change of a folder looks at its time in the store`() {
        let times = Times()
        let folder = Self.folder()
        #expect(times.willChangeEntries(of: folder, storeTime: Self.time(100)))
        func storeTime() -> Timestamp {
            Issue.record("the projection has changed the folder's time by now")
            return Self.time(150)
        }
        // Outside of `#expect`, which evaluates arguments before the call.
        let isFirst = times.willChangeEntries(of: folder, storeTime: storeTime())
        #expect(!isFirst)
        #expect(times.removeAll() == [folder.inode: Self.time(100)])
    }

    // MARK: The container has another time

    @Test func `a folder gets another time of the container if this device changed nothing in it`() {
        let times = Times()
        let folder = Self.folder()
        times.change(folder, to: Self.time(200), storeTime: Self.time(100))
        #expect(times.removeAll() == [folder.inode: Self.time(200)])
        times.change(folder, to: Self.time(200), storeTime: Self.time(150))
        #expect(times.removeAll() == [:])
    }

    @Test func `another time of the container counts also after the commit's own changes in the folder`() {
        let times = Times()
        let folder = Self.folder()
        #expect(times.willChangeEntries(of: folder, storeTime: Self.time(100)))
        times.change(folder, to: Self.time(200), storeTime: Self.time(150))
        #expect(times.removeAll() == [folder.inode: Self.time(200)])
    }

    @Test func `a new folder has the container's time, whatever is put into it`() {
        let times = Times()
        let folder = Self.folder()
        times.insert(folder.inode, time: folder.modified)
        #expect(!times.willChangeEntries(of: folder, storeTime: Self.time(150)))
        #expect(times.removeAll() == [folder.inode: Self.time(100)])
        #expect(times.removeAll() == [:])
    }

    // MARK: On two devices

    @Test func `a folder in which two devices change something at once has the time of the later change`() async throws
    {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            try laptop.create("A.txt", "a", in: folder)
            try await laptop.push()
            try await phone.pull()
            try phone.create("B.txt", "b", in: phone.inode("Folder"))
            try await phone.push()
            try laptop.create("C.txt", "c", in: folder)
            let time = { try laptop.library.attributes(of: .entry(folder)).modified }
            let before = try time()
            // Its commit comes second, after that of the phone.
            try await laptop.push()
            let after = try time()
            #expect(after >= before)
            try await phone.pull()
            #expect(try phone.library.attributes(of: .entry(phone.inode("Folder"))).modified == after)
        }
    }
}
