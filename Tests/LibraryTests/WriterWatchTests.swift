import Backing
import Glibc
@testable import Library
import Testing

/// The writers of an open file: handles, changes, and closes that wait for mappings.
struct WriterWatchTests {
    private var watch = WriterWatch()
    private let start = ContinuousClock.now

    private static func look(size: Int) -> ContentLook {
        var status = stat()
        status.st_size = off_t(size)
        return ContentLook(status)
    }

    private mutating func addWriters(_ count: Int) { for _ in 1...count { watch.addWriter() } }

    // MARK: Changes

    @Test mutating func `the last writer to close has the changes of all of them to save`() {
        addWriters(2)
        watch.markModified()
        #expect(watch.removeWriter() == (false, false))
        #expect(watch.isModified)
        #expect(watch.removeWriter() == (true, true))
        #expect(!watch.isModified)
        #expect(watch.writers == 0)
    }

    @Test mutating func `a writer that changes nothing has nothing to save`() {
        addWriters(1)
        #expect(watch.removeWriter() == (true, false))
    }

    @Test mutating func `only the first write of a change is told apart`() {
        addWriters(1)
        #expect(watch.markModified() == true)
        #expect(watch.markModified() == false)
        watch.markUnmodified()
        #expect(watch.markModified() == true)
    }

    @Test mutating func `a file that the kernel writes to by itself may change unnoticed where it cannot be noticed`() {
        addWriters(1)
        #expect(!watch.mayChangeUnnoticed(noticesWrites: false))
        watch.markBypassed()
        #expect(watch.mayChangeUnnoticed(noticesWrites: false))
        #expect(!watch.mayChangeUnnoticed(noticesWrites: true))
    }

    @Test mutating func `a look at the file tells how long it is unchanged and whether it is saved`() {
        addWriters(1)
        #expect(watch.observe(Self.look(size: 1), at: start) == (.zero, false))
        watch.markSaved(Self.look(size: 1), at: start + .seconds(1))
        #expect(watch.observe(Self.look(size: 1), at: start + .seconds(3)) == (.seconds(3), true))
        #expect(watch.observe(Self.look(size: 2), at: start + .seconds(4)) == (.zero, false))
    }

    // MARK: Closing

    @Test mutating func `only the close of the last writer waits for mappings`() {
        addWriters(2)
        #expect(watch.beginClose() == false)
        #expect(!watch.isOnlyMapped)
        #expect(watch.beginClose() == true)
        #expect(watch.isOnlyMapped)
        #expect(watch.mayChangeUnnoticed(noticesWrites: true))
    }

    @Test mutating func `a close that begins while another waits does not wait, but the other one looks again`() {
        addWriters(1)
        #expect(watch.beginClose() == true)
        addWriters(1)
        #expect(!watch.isOnlyMapped)
        #expect(watch.beginClose() == false)
        #expect(watch.isOnlyMapped)
        #expect(watch.endWait() == false)
        #expect(watch.endWait() == true)
        #expect(!watch.isOnlyMapped)
    }

    @Test mutating func `a file that is opened again after its close has a last writer again`() {
        addWriters(1)
        #expect(watch.beginClose() == true)
        #expect(watch.endWait() == true)
        _ = watch.removeWriter()
        watch.endClose()
        addWriters(1)
        #expect(!watch.isOnlyMapped)
        #expect(watch.beginClose() == true)
    }

    @Test mutating func `a writer that has closed does not count for one that is opened before its close ends`() {
        addWriters(2)
        #expect(watch.beginClose() == false)
        _ = watch.removeWriter()
        watch.endClose()
        #expect(watch.beginClose() == true)
        #expect(watch.isOnlyMapped)
    }
}
