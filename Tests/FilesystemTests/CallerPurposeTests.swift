import CLinux
@testable import Filesystem
import Foundation
import Glibc
import Library
import Synchronization
import Testing
import TestSupport

/// The purpose of a system call, found out from /proc/TID/syscall.
struct CallerPurposeTests {
    /// As /proc/TID/syscall writes a system call: six arguments, the stack pointer and the program counter.
    private static func purpose(_ number: Int, _ arguments: UInt64...) -> LookupPurpose {
        let words = (arguments + Array(repeating: 0, count: 6 - arguments.count)).map { "0x" + String($0, radix: 16) }
        return CallerPurpose.purpose(ofCall: "\(number) \(words.joined(separator: " ")) 0x7ffc01 0x7f3a02\n")
    }

    private static let folder = UInt64(UInt32(bitPattern: AT_FDCWD))
    private static let path: UInt64 = 0x7ffd_5a1c_3000

    @Test func `openat wants what exists unless it has O_CREAT`() {
        for flags in [O_RDONLY, O_WRONLY | O_TRUNC, O_RDWR | O_APPEND, O_WRONLY | O_EXCL] {
            #expect(Self.purpose(SystemCall.openat, Self.folder, Self.path, UInt64(flags)) == .existing)
        }
    }

    @Test func `openat with O_CREAT creates, and with O_EXCL nothing else`() {
        #expect(Self.purpose(SystemCall.openat, Self.folder, Self.path, UInt64(O_WRONLY | O_CREAT)) == .creation)
        #expect(
            Self.purpose(SystemCall.openat, Self.folder, Self.path, UInt64(O_RDWR | O_CREAT | O_EXCL))
                == .exclusiveCreation)
    }

    /// A caller may leave anything in the upper half of the register.
    @Test func `only the lower half of the flags counts`() {
        let flags = 0xffff_ffff_0000_0000 | UInt64(O_CREAT)
        #expect(Self.purpose(SystemCall.openat, Self.folder, Self.path, flags) == .creation)
    }

    #if arch(x86_64)
        @Test func `open has its flags in the second argument, and creat none`() {
            #expect(Self.purpose(SystemCall.open, Self.path, UInt64(O_RDONLY), UInt64(O_CREAT)) == .existing)
            #expect(Self.purpose(SystemCall.open, Self.path, UInt64(O_WRONLY | O_CREAT)) == .creation)
            #expect(Self.purpose(SystemCall.open, Self.path, UInt64(O_CREAT | O_EXCL)) == .exclusiveCreation)
            #expect(Self.purpose(SystemCall.creat, Self.path, 0o644) == .creation)
        }

        @Test(arguments: [83, 88, 133, 258, 259, 266])
        func `mkdir, symlink and mknod create nothing but what does not exist`(number: Int) {
            #expect(Self.purpose(number, Self.path, Self.path, Self.path) == .exclusiveCreation)
        }

        @Test(arguments: [4, 6, 21, 82, 87, 89, 262, 263, 264, 316, 332, 437])
        func `stat, access, unlink, rename, readlink and others want what exists`(number: Int) {
            let flags = UInt64(O_CREAT | O_EXCL)
            #expect(Self.purpose(number, flags, flags, flags) == .existing)
        }
    #endif

    @Test(arguments: ["", "\n", "running\n", "-1 0x7ffc01 0x7f3a02\n", "257", "257 0xffffff9c", "x 0x0 0x0 0x40"])
    func `a thread outside of a system call, or one that is not understood, wants what exists`(call: String) {
        #expect(CallerPurpose.purpose(ofCall: call) == .existing)
    }

    @Test func `without a thread, or for one that is gone, a name is wanted as it is`() {
        #expect(CallerPurpose.read(ofThread: 0) == .existing)
        #expect(CallerPurpose.read(ofThread: -1) == .existing)
        #expect(CallerPurpose.read(ofThread: .max) == .existing)
    }

    @Test(arguments: [(O_CREAT, LookupPurpose.creation), (0, .existing)])
    func `a thread that waits in a system call tells by it`(flags: Int32, purpose: LookupPurpose) async throws {
        try await withTemporaryFolder { folder in
            // The open waits for a reader.
            let pipe = "\(folder)/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let thread = Atomic<Int32>(0)
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                thread.store(gettid(), ordering: .releasing)
                close(open(pipe, O_WRONLY | flags, 0o600))
                ended.signal()
            }
            let deadline = ContinuousClock.now + .seconds(10)
            while !Self.waitsInOpen(thread.load(ordering: .acquiring)), ContinuousClock.now < deadline {
                await Task.yield()
            }
            #expect(CallerPurpose.read(ofThread: thread.load(ordering: .acquiring)) == purpose)
            close(open(pipe, O_RDONLY))
            ended.wait()
        }
    }

    private static func waitsInOpen(_ thread: Int32) -> Bool {
        let call = try? String(contentsOfFile: "/proc/\(thread)/syscall", encoding: .utf8)
        return call?.hasPrefix("\(SystemCall.openat) ") == true
    }
}
