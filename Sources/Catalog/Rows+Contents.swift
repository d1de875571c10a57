import Documents
import FoundationEssentials
import GRDB

/// A content in the container that no document needs any more: a commit superseded it or deleted its document.
public struct DepartedContent: Sendable, Equatable {
    /// The version whose content it is. There is one record for each version.
    public var version: VersionID
    /// The document under whose id the content lies in the container (`ContainerFormat`, the key `documents/ID/VERSION/FILENAME`).
    public var document: EntryID
    /// The last component of its object's key.
    public var filename: String
    /// The log position of that commit.
    public var position: Int64

    public init(version: VersionID, document: EntryID, filename: String, position: Int64) {
        self.version = version
        self.document = document
        self.filename = filename
        self.position = position
    }
}

/// A content that this device is sending or has sent, and that no commit names yet.
public struct UploadedContent: Sendable, Equatable {
    /// How far an upload is. The raw values are stored.
    public enum Stage: Int, Sendable {
        /// Being sent, or broken off with the process that sent it.
        case underWay = 0
        /// The store has all of it.
        case finished = 1
        /// No commit of this device will ever name it.
        case abandoned = 2
    }

    /// The version whose content it is. There is one record for each version.
    public var version: VersionID
    /// The document under whose id the content is sent.
    public var document: EntryID
    /// The entry's inode number when the upload began.
    public var inode: InodeNumber
    /// The entry's revision when the upload began.
    public var revision: Int64
    /// How far the upload is.
    public var stage: Stage
    /// The version as JSON.
    public var record: [UInt8]

    public init(
        version: VersionID, document: EntryID, inode: InodeNumber, revision: Int64, stage: Stage, record: [UInt8]
    ) {
        self.version = version
        self.document = document
        self.inode = inode
        self.revision = revision
        self.stage = stage
        self.record = record
    }
}

/// Records about contents in the container's store. A content is removed only on the evidence of these records.
extension Rows {
    // MARK: Departed contents

    /// Whether the content of a version is recorded as departed. The store may still have it.
    public func isDeparted(_ version: VersionID) throws -> Bool {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM departedContents WHERE version=?")
            return try Bool.fetchOne(statement, arguments: [version.uuid]) != nil
        }
    }

    /// Returns departed contents by log position.
    public func departedContents(limit: Int) throws -> [DepartedContent] {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: "SELECT version, uuid, filename, position FROM departedContents ORDER BY position, version LIMIT ?"
            )
            return try Row.fetchAll(statement, arguments: [limit]).map {
                DepartedContent(
                    version: VersionID($0[0] as UUID), document: EntryID($0[1] as UUID), filename: $0[2],
                    position: $0[3])
            }
        }
    }

    // MARK: Uploads

    /// The uploads of this stage, by version id.
    public func uploads(_ stage: UploadedContent.Stage) throws -> [UploadedContent] {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(
                sql: "SELECT version, uuid, inode, revision, record FROM uploads WHERE stage=? ORDER BY version")
            return try Row.fetchAll(statement, arguments: [stage.rawValue]).map {
                UploadedContent(
                    version: VersionID($0[0] as UUID), document: EntryID($0[1] as UUID), inode: InodeNumber($0[2]),
                    revision: $0[3],
                    stage: stage, record: Array($0[4] as Data))
            }
        }
    }
}

extension Transaction {
    /// Records a departed content. An older record of it stays: it counts from the first commit that made it unneeded.
    public func record(_ content: DepartedContent) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "INSERT OR IGNORE INTO departedContents VALUES(?,?,?,?)").execute(
                arguments: [content.version.uuid, content.document.uuid, content.filename, content.position])
        }
    }

    /// Forgets the record of a departed content: it was removed from the store, or something needs it again.
    public func forgetDepartedContent(_ version: VersionID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM departedContents WHERE version=?").execute(arguments: [
                version.uuid
            ])
        }
    }

    /// Call this when the whole replica is replaced.
    public func forgetDepartedContents() throws {
        try turn.write { try $0.execute(sql: "DELETE FROM departedContents") }
    }

    /// Records an upload, in place of an older record of the same version.
    public func store(_ upload: UploadedContent) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "REPLACE INTO uploads VALUES(?,?,?,?,?,?)").execute(
                arguments: [
                    upload.version.uuid, upload.document.uuid, upload.inode.number, upload.revision,
                    upload.stage.rawValue,
                    Data(upload.record),
                ])
        }
    }

    /// Marks an upload that no commit of this device will name.
    public func abandonUpload(_ version: VersionID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "UPDATE uploads SET stage=? WHERE version=?")
                .execute(arguments: [UploadedContent.Stage.abandoned.rawValue, version.uuid])
        }
    }

    /// Marks the uploads that an earlier process left unfinished.
    public func abandonUploadsUnderWay() throws {
        try turn.write { db in
            try db.cachedStatement(sql: "UPDATE uploads SET stage=? WHERE stage=?").execute(arguments: [
                UploadedContent.Stage.abandoned.rawValue, UploadedContent.Stage.underWay.rawValue,
            ])
        }
    }

    /// Forgets an upload: a commit names its content, or the content was removed from the store.
    public func forgetUpload(_ version: VersionID) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "DELETE FROM uploads WHERE version=?").execute(arguments: [version.uuid])
        }
    }

    /// Call this in a copy of another device's store, since that device may still commit its uploads; and when the container
    /// is not the one that they were sent to.
    public func forgetAllUploads() throws { try turn.write { try $0.execute(sql: "DELETE FROM uploads") } }
}
