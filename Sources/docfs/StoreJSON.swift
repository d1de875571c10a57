import Backing
import Foundation

/// A file of JSON beside a store's catalog.
struct StoreJSON<Value: Codable> {
    let name: String
    /// What is in it, and what to do when it is damaged, for a person.
    let holds: String
    let advice: String

    /// - Returns: nil for a store that has no such file, or does not exist yet.
    func read(fromStore path: String) throws(CommandFailure) -> Value? {
        let file = "\(path)/\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        do { return try JSONDecoder().decode(Value.self, from: Data(contentsOf: URL(filePath: file))) } catch {
            let reason = error is DecodingError ? "the file is damaged" : error.localizedDescription
            throw CommandFailure("\(holds) cannot be read from \(file): \(reason); \(advice)")
        }
    }

    /// Durable when it returns.
    func write(_ value: Value, toStore path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StoreFile(name, inStore: path).replace(Array(try encoder.encode(value)) + Array("\n".utf8))
    }
}
