import Foundation

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
@discardableResult
public func withTemporaryFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let path = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
@discardableResult
public func withTemporaryFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let path = try makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

private func makeTemporaryFolder() throws -> String {
    let path = NSTemporaryDirectory() + "docfs-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
