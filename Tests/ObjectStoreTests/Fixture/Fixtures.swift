import Foundation
import ObjectStore
import Synchronization
import SystemPackage

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
    let path = NSTemporaryDirectory() + "docfs-objects-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

/// A new store in a folder that is removed afterwards.
func withStore(_ body: (DirectoryStore, _ root: String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        try await body(try DirectoryStore(root: folder + "/store", creates: true), folder + "/store")
    }
}

/// Runs `body` with an open file of this content.
func withFile(_ content: [UInt8], _ body: (FileDescriptor) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let path = folder + "/content"
        try Data(content).write(to: URL(fileURLWithPath: path))
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        try await body(file)
    }
}

/// Bytes whose period is a prime, so that no piece of a round size can stand in another's place.
func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    let block = (0..<65_521).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}

/// All files and folders below a folder.
func contents(of folder: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
}

/// Collects what a callback on another thread was told.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }

    /// - Returns: how many came before.
    @discardableResult
    func add(_ value: Value) -> Int {
        recorded.withLock { recorded in
            recorded.append(value)
            return recorded.count - 1
        }
    }
}

extension ObjectKey {
    /// A key that is written in a test, and so is one.
    static func path(_ text: String) -> ObjectKey { ObjectKey(text)! }
}
