import Documents
import GRDB

/// A rename of backing files that was begun; undone at the next mount if the process died in it.
public struct BackingMove: Sendable, Equatable {
    public var fromParent: InodeNumber
    public var fromName: String
    public var toParent: InodeNumber
    public var toName: String

    public init(fromParent: InodeNumber, fromName: String, toParent: InodeNumber, toName: String) {
        self.fromParent = fromParent
        self.fromName = fromName
        self.toParent = toParent
        self.toName = toName
    }
}

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
}

extension CatalogTransaction {
    public func setting(_ setting: Setting) throws -> String? {
        let statement = try db.cachedStatement(sql: "SELECT value FROM settings WHERE key=?")
        return try Row.fetchOne(statement, arguments: [setting.rawValue]).map { $0[0] }
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

    public func backingMoves() throws -> [(id: Int64, move: BackingMove)] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, fromParent, fromName, toParent, toName FROM intents ORDER BY id")
        return try Row.fetchAll(statement).map {
            (
                $0[0],
                BackingMove(fromParent: InodeNumber($0[1]), fromName: $0[2], toParent: InodeNumber($0[3]), toName: $0[4])
            )
        }
    }

    /// Notes that a move begins; the number it returns ends it.
    public func begin(_ move: BackingMove) throws -> Int64 {
        try db.cachedStatement(sql: "INSERT INTO intents(fromParent, fromName, toParent, toName) VALUES(?,?,?,?)")
            .execute(
                arguments: [move.fromParent.number, move.fromName, move.toParent.number, move.toName])
        return db.lastInsertedRowID
    }

    public func end(_ move: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM intents WHERE id=?").execute(arguments: [move])
    }
}
