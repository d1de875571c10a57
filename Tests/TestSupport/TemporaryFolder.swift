import Foundation

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
public func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let path = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
}

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
public func withTemporaryFolder(_ body: (String) async throws -> Void) async throws {
    let path = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

private func makeTemporaryFolder() throws -> String {
    let path = NSTemporaryDirectory() + "docfs-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
