import FoundationEssentials
import Replication

extension Change {
    /// Bytes of the change in a log entry, approximately.
    var approximateLength: Int {
        switch self {
        case .create(let entry):
            Self.entryLength * (1 + (entry.versions?.all.count ?? 0)) + Self.encodedLength(entry.description.attributes)
        case .describe(_, let change): Self.entryLength + Self.encodedLength(change.attributes?.json)
        case .save: Self.entryLength
        case .delete(_, let versions), .bequeath(_, _, let versions): Self.lengthOfIDs(versions.count)
        case .resolve(_, let resolution):
            Self.lengthOfIDs(resolution.discarded.count + resolution.restored.count + resolution.demoted.count)
        }
    }

    /// Bytes of an entry or a version without extended attributes.
    static let entryLength = 1000

    /// Bytes of extended attributes in Base64, as a log entry has them.
    static func encodedLength(_ attributes: Data?) -> Int { (attributes?.count ?? 0) * 4 / 3 }

    private static func lengthOfIDs(_ count: Int) -> Int { 200 + 40 * count }
}
