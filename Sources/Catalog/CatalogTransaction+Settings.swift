import Documents
import GRDB

/// What the catalog remembers besides entries, by name.
public enum Setting: String, Sendable {
    case deviceID
    case deviceName
    /// The position of the last log entry that was applied.
    case logPosition
    /// The number of the last sequential filename.
    case sequentialNumber
    /// The last number given to a step.
    case stepNumber
    /// `yes` while no mount is using the store.
    case isClean
    /// The cloud URL the replica was read from.
    case cloudURL
    /// When this device last looked for contents of the cloud that nobody needs, in nanoseconds.
    case lastCleaning
    /// The inode number of the store's folder: another one shows that the store was copied.
    case storeInode
}

extension CatalogTransaction {
    public func setting(_ setting: Setting) throws -> String? {
        let statement = try db.cachedStatement(sql: "SELECT value FROM settings WHERE key=?")
        return try String.fetchOne(statement, arguments: [setting.rawValue])
    }

    public func set(_ setting: Setting, _ value: String) throws {
        try db.cachedStatement(sql: "REPLACE INTO settings VALUES(?,?)")
            .execute(arguments: [setting.rawValue, value])
    }

    /// Counts up and returns the new number; the first is 1.
    public func next(_ setting: Setting) throws -> Int64 {
        let number = (try self.setting(setting).flatMap(Int64.init) ?? 0) + 1
        try set(setting, String(number))
        return number
    }
}
