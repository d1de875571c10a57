import Backing
import Documents
import Foundation
import Library
import ObjectStore

/// How a store is mounted. The store remembers it in a file of its own, `options.json`: what a mount does not say is as it was at the last one
/// (Semantics, "The command"). It is no part of the catalog, because it must outlive one that was lost: a mount that did not know its
/// container any more would begin another.
struct StoreOptions: Codable, Equatable {
    /// The URL of the container that the store belongs to.
    var cloud: String?
    var show: ListingMode?
    var filenames: FilenameConvention?
    var filenamePrefix: String?
    /// Bytes; nil for no limit.
    var cacheLimit: Int64?

    private static let fileName = "options.json"

    init() {}

    /// Reads what a store remembers. A store that remembers nothing, or does not exist yet, has no options.
    init(ofStore path: String) throws(CommandFailure) {
        let file = "\(path)/\(Self.fileName)"
        guard FileManager.default.fileExists(atPath: file) else { return }
        do { self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: file))) } catch {
            throw CommandFailure(
                "the options of the store cannot be read from \(file): \(Self.words(error)); remove the file, and say them again"
            )
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case is DecodingError: "they are damaged"
        default: "\(error.localizedDescription)"
        }
    }

    /// What was told counts, and what was not told stays.
    ///
    /// - Parameter cloud: the container, told or not.
    func replaced(by told: MountOptions, cloud: CloudURL) -> StoreOptions {
        var options = self
        options.cloud = cloud.text
        options.show = told.show ?? show
        options.filenames = told.filenames ?? filenames
        options.filenamePrefix = told.filenamePrefix ?? filenamePrefix
        if let limit = told.cacheLimit { options.cacheLimit = limit.bytes }
        return options
    }

    /// Durable when it returns.
    func write(toStore path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StoreFile(Self.fileName, inStore: path).replace(Array(try encoder.encode(self)) + Array("\n".utf8))
    }

    func filenameGenerator() throws(NameError) -> FilenameGenerator {
        try FilenameGenerator(convention: filenames ?? .timestamp, prefix: filenamePrefix ?? "")
    }
}

/// A value of `--cache-limit`: a number of bytes, or `none`, which takes back a limit that the store remembers.
enum CacheLimit: Equatable {
    case none
    case limit(ByteCount)

    var bytes: Int64? {
        switch self {
        case .none: nil
        case .limit(let count): count.bytes
        }
    }
}
