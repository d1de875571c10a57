import Documents
import GRDB

/// What the catalog remembers besides entries, by name.
public enum Setting: String, Sendable {
    case deviceID
    case deviceName
    /// How far the log was applied, and what its next entry follows, as JSON.
    case logHead
    /// The number of the last sequential filename.
    case sequentialNumber
    /// The last number given to a step.
    case stepNumber
    /// The cloud URL of the last mount.
    case cloudURL
    /// When this device last looked for contents of the cloud that nobody needs, in nanoseconds.
    case lastCleaning
    /// Inode number and birth time of the catalog's own file: others show that the store was copied.
    case catalogFile
}

extension CatalogTransaction {
    public func setting(_ setting: Setting) throws -> String? {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(sql: "SELECT value FROM settings WHERE key=?")
            return try String.fetchOne(statement, arguments: [setting.rawValue])
        }
    }

    public func set(_ setting: Setting, _ value: String) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "REPLACE INTO settings VALUES(?,?)").execute(arguments: [
                setting.rawValue, value,
            ])
        }
    }

    /// Sets what is not set so already.
    public func change(_ setting: Setting, to value: String) throws {
        if try self.setting(setting) != value { try set(setting, value) }
    }

    /// Counts up and returns the new number; the first is 1.
    public func next(_ setting: Setting) throws -> Int64 {
        let number = (try self.setting(setting).flatMap(Int64.init) ?? 0) + 1
        try set(setting, String(number))
        return number
    }
}

/// When the folders of the store last changed, as they were left.
extension CatalogTransaction {
    /// st_ctime of folders in nanoseconds, by inode number of the row.
    public func folderTimes() throws -> [InodeNumber: Int64] {
        try turn.readWritten { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT folder, changed FROM folderTimes"))
            var times: [InodeNumber: Int64] = [:]
            while let row = try rows.next() { times[InodeNumber(row[0])] = row[1] }
            return times
        }
    }

    public func setFolderTime(_ time: Int64?, of folder: InodeNumber) throws {
        try turn.write { db in
            if let time {
                try db.cachedStatement(sql: "REPLACE INTO folderTimes VALUES(?,?)").execute(arguments: [
                    folder.number, time,
                ])
            } else {
                try db.cachedStatement(sql: "DELETE FROM folderTimes WHERE folder=?").execute(arguments: [folder.number]
                )
            }
        }
    }

    /// All folders, in no order, `local` and `cloud` among them.
    public func folders() throws -> [Entry] {
        try entries(where: "\(EntryCondition.isFolder) AND id>\(InodeNumber.documents)")
    }
}
