import Catalog
import Documents
import FoundationEssentials
import Replication

extension UploadedContent {
    init(_ version: DocumentVersion, of entry: Entry, _ id: EntryID, _ stage: Stage) throws {
        self.init(
            version: version.id, document: id, inode: entry.inode, revision: entry.revision, stage: stage,
            record: Array(try JSONEncoder().encode(version)))
    }

    static func version(of upload: UploadedContent) throws -> DocumentVersion {
        try JSONDecoder().decode(DocumentVersion.self, from: Data(upload.record))
    }
}
