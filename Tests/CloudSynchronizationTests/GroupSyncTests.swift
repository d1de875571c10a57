import Backing
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import CloudSynchronization

@Suite(.timeLimit(.minutes(15)))
struct GroupSyncTests {
    @Test func `each caller that waits for a group sync gets the result of its own file`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "docfs-group-sync-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sync = GroupSync()
        let answers = try await withThrowingTaskGroup(of: (index: Int, error: Errno?).self) { group in
            for index in 0..<200 {
                let file: Descriptor
                if index % 10 == 3 {
                    // A pipe cannot be synced: EINVAL.
                    var ends: [Int32] = [0, 0]
                    try #require(pipe(&ends) == 0)
                    close(ends[1])
                    file = Descriptor(ends[0])
                } else {
                    file = try Descriptor.open("\(folder.path)/\(index)", O_RDWR | O_CREAT, mode: 0o600)
                    try #require(write(file.number, "hello", 5) == 5)
                }
                group.addTask {
                    do { try await sync.synchronize(file) } catch { return (index, error as? Errno) }
                    return (index, nil)
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.index] = $1.error }
        }
        #expect(Set(answers.keys) == Set((0..<200).filter { $0 % 10 == 3 }))
        #expect(answers.values.allSatisfy { $0 == .invalidArgument })
    }

    @Test func `another group sync follows after one has ended`() async throws {
        let sync = GroupSync()
        let file = try Descriptor.open("/tmp", O_RDONLY | O_DIRECTORY)
        for _ in 0..<50 { try await sync.synchronize(file) }
    }
}
