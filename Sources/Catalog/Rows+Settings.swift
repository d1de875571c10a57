import Documents
import GRDB

/// The keys of the table `settings`.
public enum Setting: String, Sendable {
    /// The id of this device, a UUID. A copy of the store gets another.
    case deviceID
    /// The secret with which this device signs what it writes to an encrypted container: hexadecimal digits. It lives and dies with the id.
    case deviceKey
    /// The name by which people know this device (`--device-name`).
    case deviceName
    /// The position and hashes of the last log entry that was applied, as JSON (`LogHead`).
    case logHead
    /// The number of the last sequential filename.
    case sequentialNumber
    /// The last number given to a bundle.
    case bundleNumber = "stepNumber"
    /// The container of documents that are created in `Documents` itself.
    case preferredLocation
    /// How many entries were to move when the preferred location was last changed.
    case preferredMoveCount
    /// When this device last removed departed contents from the cloud, in nanoseconds.
    case lastCleaning
    /// Inode number and birth time of the catalog's own file. If the file has others, the store was copied.
    case catalogFile
    /// The last inode number of the entries that were found in the store when the catalog was made anew.
    case lastFoundEntry
}

extension Rows {
    /// The value of a setting; nil if it was never set.
    public func setting(_ setting: Setting) throws -> String? {
        try turn.readWritten { db in
            let statement = try db.cachedStatement(sql: "SELECT value FROM settings WHERE key=?")
            return try String.fetchOne(statement, arguments: [setting.rawValue])
        }
    }
}

extension Transaction {
    /// Stores a setting, in place of its older value.
    public func set(_ setting: Setting, _ value: String) throws {
        try turn.write { db in
            try db.cachedStatement(sql: "REPLACE INTO settings VALUES(?,?)").execute(arguments: [
                setting.rawValue, value,
            ])
        }
    }

    /// Writes only if the value differs.
    public func change(_ setting: Setting, to value: String) throws {
        if try self.setting(setting) != value { try set(setting, value) }
    }

    /// Increments a counter and returns its new value; the first is 1.
    public func next(_ setting: Setting) throws -> Int64 {
        let number = (try self.setting(setting).flatMap(Int64.init) ?? 0) + 1
        try set(setting, String(number))
        return number
    }
}

extension Rows {
    /// Whether an entry was found in the store when the catalog was made anew (`rememberFoundEntries`).
    public func wasFound(_ inode: InodeNumber) throws -> Bool {
        guard inode > .cloud, let last = try setting(.lastFoundEntry).flatMap(Int64.init) else { return false }
        return inode.number <= last
    }
}

extension Transaction {
    /// The entries that there are now were found in the store when the catalog was made anew. The container may know them
    /// under other ids.
    public func rememberFoundEntries() throws {
        let last = try turn.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM entries") ?? 0 }
        if InodeNumber(last) > .cloud { try set(.lastFoundEntry, String(last)) }
    }
}

/// The st_ctime of the store's folders as docfs last left them. If a folder has another one, another program changed it.
extension Rows {
    /// st_ctime of folders, by the inode numbers of their entries.
    public func folderTimes() throws -> [InodeNumber: Timestamp] {
        try turn.readWritten { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT folder, changed FROM folderTimes"))
            var times: [InodeNumber: Timestamp] = [:]
            while let row = try rows.next() { times[InodeNumber(row[0])] = Timestamp(nanoseconds: row[1]) }
            return times
        }
    }

    /// All folders, including `local` and `cloud`, in no particular order.
    public func folders() throws -> [Entry] {
        try entries(where: "\(EntryCondition.isFolder) AND id>\(InodeNumber.documents)")
    }
}

extension Transaction {
    /// Records the st_ctime of a folder.
    ///
    /// - Parameter time: nil forgets it.
    public func setFolderTime(_ time: Timestamp?, of folder: InodeNumber) throws {
        try turn.write { db in
            if let time {
                try db.cachedStatement(sql: "REPLACE INTO folderTimes VALUES(?,?)").execute(arguments: [
                    folder.number, time.nanoseconds,
                ])
            } else {
                try db.cachedStatement(sql: "DELETE FROM folderTimes WHERE folder=?").execute(arguments: [folder.number]
                )
            }
        }
    }
}
