import Backing
@testable import Filesystem
import Glibc
import Synchronization
import SystemPackage
import Testing

/// How the kernel gets at the content of open files.
struct DataPathsTests {
    /// A kernel that gives files numbers, or takes none.
    private final class Registry: BackingFiles {
        private struct State {
            var last: Int32 = 0
            var registered: Set<Int32> = []
        }

        private let state = Mutex(State())
        private let isRefusing: Bool

        init(refusing isRefusing: Bool = false) { self.isRefusing = isRefusing }

        var registered: Set<Int32> { state.withLock(\.registered) }

        func register(_ file: Descriptor) -> Int32? {
            if isRefusing { return nil }
            return state.withLock { state in
                state.last += 1
                state.registered.insert(state.last)
                return state.last
            }
        }

        func unregister(_ number: Int32) {
            let removed = state.withLock { $0.registered.remove(number) }
            #expect(removed != nil, "unregistered twice")
        }
    }

    private let registry = Registry()
    private let paths: DataPaths
    private let file: Descriptor

    init() throws {
        paths = DataPaths(backingFiles: registry)
        file = try Descriptor.open("/dev/null", O_RDWR)
    }

    @Test func `the first open of an inode registers its file, and the others share that`() {
        #expect(paths.open(7, shareable: file, canWrite: false) == .passthrough(backing: 1))
        #expect(paths.open(7, shareable: file, canWrite: true) == .passthrough(backing: 1))
        #expect(paths.open(8, shareable: file, canWrite: false) == .passthrough(backing: 2))
        #expect(registry.registered == [1, 2])
    }

    @Test func `the file is registered until the last open of its inode is closed`() {
        for _ in 0..<2 { _ = paths.open(7, shareable: file, canWrite: false) }
        paths.close(7, isWriter: false)
        #expect(registry.registered == [1])
        paths.close(7, isWriter: false)
        #expect(registry.registered.isEmpty)
        #expect(paths.open(7, shareable: file, canWrite: false) == .passthrough(backing: 2))
    }

    @Test func `an inode that is read through docfs stays so while it is open`() {
        #expect(paths.open(7, shareable: nil, canWrite: false) == .cached)
        #expect(paths.open(7, shareable: file, canWrite: true) == .cached)
        #expect(registry.registered.isEmpty)
        paths.close(7, isWriter: false)
        #expect(paths.open(7, shareable: file, canWrite: false) == .cached)
        paths.close(7, isWriter: true)
        paths.close(7, isWriter: false)
        #expect(paths.open(7, shareable: file, canWrite: false) == .passthrough(backing: 1))
    }

    @Test func `an inode that the kernel reads by itself stays so while it is open`() {
        _ = paths.open(7, shareable: file, canWrite: false)
        #expect(paths.open(7, shareable: nil, canWrite: false) == .passthrough(backing: 1))
    }

    @Test func `where the kernel takes no file, docfs gives the content`() {
        let paths = DataPaths(backingFiles: Registry(refusing: true))
        #expect(paths.open(7, shareable: file, canWrite: true) == .cached)
        #expect(!paths.isWrittenUnseen(7))
        paths.close(7, isWriter: true)
    }

    @Test func `an inode is written unseen while the kernel has it for writing`() {
        _ = paths.open(7, shareable: file, canWrite: false)
        #expect(!paths.isWrittenUnseen(7))
        _ = paths.open(7, shareable: file, canWrite: true)
        _ = paths.open(7, shareable: file, canWrite: true)
        _ = paths.open(8, shareable: nil, canWrite: true)
        #expect(paths.isWrittenUnseen(7))
        #expect(!paths.isWrittenUnseen(8))
        #expect(!paths.isWrittenUnseen(9))
        paths.close(7, isWriter: true)
        #expect(paths.isWrittenUnseen(7))
        paths.close(7, isWriter: true)
        #expect(!paths.isWrittenUnseen(7))
    }

    @Test func `one writer that leaves does not hide another inode's`() {
        _ = paths.open(7, shareable: file, canWrite: true)
        _ = paths.open(8, shareable: file, canWrite: true)
        paths.close(7, isWriter: true)
        #expect(paths.isWrittenUnseen(8))
        #expect(!paths.isWrittenUnseen(7))
    }

    @Test func `a close of what is not open changes nothing`() {
        paths.close(7, isWriter: true)
        _ = paths.open(7, shareable: file, canWrite: true)
        #expect(paths.isWrittenUnseen(7))
    }
}
