import Foundation
import Glibc
import MountSupport
import Synchronization
import SystemPackage
import Testing

/// A state file held open and polled, as a program that shows states does.
private struct PolledState: Sendable {
    let file: OpenFile

    init(_ path: FilePath) throws {
        file = try path.open(.readOnly)
    }

    /// Reading from offset 0 answers the last change and arms the next.
    func text() throws -> String { try file.text() }

    private static func reportsChange(_ file: OpenFile, within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: file.descriptor.rawValue, events: Int16(POLLPRI), revents: 0)
        return poll(&request, 1, milliseconds) == 1 && request.revents & Int16(POLLPRI) != 0
    }

    var reportsChange: Bool { Self.reportsChange(file, within: 0) }

    /// Whether a change that is made while a thread waits in poll(2) wakes it.
    ///
    /// A poll that times out asks the file once more and then finds the change that nobody told it
    /// of. So only one that returns well before its timeout counts as woken.
    func isWoken(by change: () throws -> Void = {}) async throws -> Bool {
        let waiter = Waiter()
        async let woken = waiter.wait {
            let start = ContinuousClock.now
            return Self.reportsChange(file, within: 120_000)
                && ContinuousClock.now - start < .seconds(100)
        }
        try await eventually { waiter.sleepsOrIsDone }
        try change()
        return await woken
    }
}

/// A thread that blocks in a system call, of which it can be told whether it does yet.
private final class Waiter: Sendable {
    private let task = Mutex<FilePath?>(nil)

    func wait(_ call: @escaping @Sendable () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                task.withLock { $0 = FilePath("/proc/thread-self").symbolicLinkTarget }
                continuation.resume(returning: call())
            }
        }
    }

    var sleepsOrIsDone: Bool {
        guard let task = task.withLock({ $0 }) else { return false }
        let status = FilePath("/proc").appending(task.components) / "stat"
        guard let line = try? status.text(), let name = line.lastIndex(of: ")") else { return true }
        return line[name...].hasPrefix(") S")
    }
}

@Suite(.mounting, .timeLimit(.minutes(15)))
struct StatePollTests {
    @Test func `poll reports POLLPRI when what a document's state says has changed`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let polled = try PolledState(document.stateFile)
            _ = try polled.text()
            #expect(!polled.reportsChange)

            try document.setAttribute("user.displayName", "Shopping")
            try await eventually { polled.reportsChange }
            #expect(try StateFile(text: polled.text())["displayName"] == "Shopping")
            #expect(!polled.reportsChange)
        }
    }

    @Test func `opening, writing and closing a document are changes of its state`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let polled = try PolledState(document.stateFile)
            _ = try polled.text()

            let file = try document.open(.readWrite)
            try await eventually { polled.reportsChange }
            #expect(try StateFile(text: polled.text())["state"] == "normal")
            try file.write("milk, eggs")
            try await eventually { polled.reportsChange }
            #expect(try StateFile(text: polled.text())["size"] == "10")
            try file.close()
            try await eventually {
                try polled.reportsChange && StateFile(text: polled.text())["state"] == "closed"
            }
        }
    }

    @Test func `a poll that waits is woken by a change`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let polled = try PolledState(document.stateFile)
            _ = try polled.text()
            #expect(
                try await polled.isWoken {
                    try document.setAttribute("user.displayName", "Shopping")
                })
        }
    }

    @Test func `a change of another document is no change`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let polled = try PolledState(document.stateFile)
            let folder = try PolledState(device.local / ".state")
            _ = try (polled.text(), folder.text())
            try (device.local / "Other.txt").create("other")
            // Once the folder has told of it, the document would have, too.
            try await eventually { folder.reportsChange }
            #expect(!polled.reportsChange)
        }
    }

    @Test func `poll reports changes of a folder's state`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for watched in [device.local, folder] {
                let polled = try PolledState(watched / ".state")
                _ = try polled.text()
                #expect(!polled.reportsChange)
                try (watched / "Groceries.txt").create("milk")
                try await eventually {
                    try polled.reportsChange
                        && FolderState(text: polled.text()).rows.map(\.flags) == [["closed"]]
                }
                try await eventually {
                    _ = try polled.text()
                    return !polled.reportsChange
                }
                try (watched / "Groceries.txt").rename(to: watched / "Shopping.txt")
                try await eventually { polled.reportsChange }
                #expect(
                    try FolderState(text: polled.text()).rows.map(\.displayName) == ["Shopping"])
                try (watched / "Shopping.txt").remove()
                try await eventually { polled.reportsChange }
                #expect(try FolderState(text: polled.text()).rows == [])
            }
        }
    }

    @Test func `poll reports changes of the tree's state`() async throws {
        try await withDevice { device in
            try await eventually { try device.treeState()["cloud.connection"] == "online" }
            let polled = try PolledState(device.documents / ".state")
            _ = try polled.text()
            try (device.local / "Groceries.txt").create("milk")
            try await eventually { polled.reportsChange }
            #expect(try StateFile(text: polled.text())["local.documents"] == "1")
        }
    }

    @Test func `poll reports how an upload gets on`() async throws {
        try await withDevice { device in
            let document = device.cloud / "Groceries.txt"
            try document.create("milk")
            let polled = try PolledState(document.stateFile)
            var said: [String] = []
            // Never asks again without having been told that there is something to ask.
            while said.last != "uploaded" {
                said.append(try StateFile(text: polled.text())["uploading"] ?? "nothing")
                if said.last != "uploaded" { try #require(try await polled.isWoken()) }
            }
            #expect(said.last == "uploaded")
        }
    }

    @Test func `poll reports what another device does`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Groceries.txt"
            try document.create("milk")
            let there = desktop.cloud / "Groceries.txt"
            try await eventually { there.exists }
            let polled = try PolledState(there.stateFile)
            let folder = try PolledState(desktop.cloud / ".state")
            _ = try (polled.text(), folder.text())
            try document.setAttribute("user.displayName", "Shopping")
            try await eventually {
                try polled.reportsChange
                    && StateFile(text: polled.text())["displayName"] == "Shopping"
            }
            try await eventually {
                try folder.reportsChange
                    && FolderState(text: folder.text()).rows.map(\.displayName) == ["Shopping"]
            }
        }
    }
}
