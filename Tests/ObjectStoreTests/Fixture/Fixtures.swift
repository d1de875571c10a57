import Foundation
import ObjectStore
import Synchronization
import SystemPackage
import TestSupport

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
