import Foundation

/// Runs `body` with the path of a new folder, and removes the folder with all in it.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "docfs-catalog-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
}
