import Documents
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

    /// Whether the keeper of that container cannot read it: then no plain one is taken for it.
    var isEncrypted: Bool?

    private static let json = StoreJSON<StoreOptions>(
        name: "options.json", holds: "the options of the store", advice: "remove the file, and say them again")

    init() {}

    /// Reads what a store remembers. A store that remembers nothing, or does not exist yet, has no options.
    init(ofStore path: String) throws(CommandFailure) {
        self = try Self.json.read(fromStore: path) ?? StoreOptions()
    }

    func belonging(to cloud: CloudURL?, isEncrypted: Bool) -> StoreOptions {
        var options = self
        options.cloud = cloud?.text
        options.isEncrypted = isEncrypted
        return options
    }

    /// Whether the store belongs to the container at this place. Until all documents have gone there (`--move-to-this-cloud`) it belongs to the
    /// former one.
    func belongs(to place: CloudURL) throws(CloudURLError) -> Bool {
        guard let cloud else { return false }
        return try CloudURL(cloud).isSamePlace(as: place)
    }

    /// What was told counts, and what was not told stays.
    func replaced(by told: MountOptions) -> StoreOptions {
        var options = self
        options.show = told.show ?? show
        options.filenames = told.filenames ?? filenames
        options.filenamePrefix = told.filenamePrefix ?? filenamePrefix
        if let limit = told.cacheLimit { options.cacheLimit = limit.bytes }
        return options
    }

    /// Durable when it returns.
    func write(toStore path: String) throws { try Self.json.write(self, toStore: path) }

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
