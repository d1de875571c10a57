import GRDB
import Glibc

extension Catalog {
    /// More lines than this tell nothing new.
    private static let mostFindings = 100

    /// Looks for damage in the file of a catalog that is not open: pages that are torn or contradict each other, and indexes that do not
    /// agree with their tables. Takes as long as reading the whole file.
    ///
    /// - Returns: a line for each finding; none for a catalog that is sound, missing or empty.
    /// - Throws: the error of reading the file.
    public static func damage(at path: String) throws -> [String] {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return [] }
        do {
            let queue = try DatabaseQueue(path: path)
            return try queue.read { db in
                let lines = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(mostFindings))")
                if lines != ["ok"] { return lines }
                return try db.tableExists("entries") ? [] : ["the file holds no table of entries"]
            }
        } catch let error as DatabaseError {
            let reason = CatalogError(error)
            guard case .damaged(let words) = reason else { throw reason }
            return [words]
        }
    }
}
