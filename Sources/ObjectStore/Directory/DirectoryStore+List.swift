import Glibc
import LinuxFiles
import SystemPackage

/// Walking the folders of the store.
extension DirectoryStore {
    public func list(
        _ prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            let root = try openRoot()
            try requireMarker(in: root)
            return try objects(below: prefix, after: after, limit: limit, in: root)
        }
    }

    /// Walks in the order of the keys and passes over what comes before `after`: so listing page by page takes time in proportion to what
    /// there is. The log is listed before each commit, and the end of a long folder must not cost what all of it does.
    private func objects(
        below prefix: ObjectKey, after: ObjectKey?, limit: Int, in root: OpenDescriptor
    ) throws(ObjectStoreError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        // The next member is the last of the list.
        var rest: [(key: ObjectKey, isFolder: Bool)] = mayContain(prefix, after: after) ? [(prefix, true)] : []
        while found.count < limit, let next = rest.popLast() {
            if next.isFolder {
                rest += try members(of: next.key, after: passed(in: next.key, after: after), in: root)
            } else {
                found.append(next.key)
            }
        }
        return found
    }

    private func mayContain(_ folder: ObjectKey, after: ObjectKey?) -> Bool {
        guard let after else { return true }
        let start = Array(folder.description.utf8) + [Self.slash]
        let bound = after.description.utf8
        return bound.starts(with: start) || bound.lexicographicallyPrecedes(start)
    }

    /// The rest of `after` below a folder that may contain later keys; nil if all keys in it are later.
    private func passed(in folder: ObjectKey, after: ObjectKey?) -> [UInt8]? {
        guard let after else { return nil }
        let start = Array(folder.description.utf8) + [Self.slash]
        let bound = after.description.utf8
        return bound.starts(with: start) ? Array(bound.dropFirst(start.count)) : nil
    }

    private static let slash = UInt8(ascii: "/")

    /// A file or folder in a folder of the store, with the bytes by which it is sorted: a folder is sorted as its first key would be.
    private struct Member {
        let name: String
        let isFolder: Bool
        let order: [UInt8]

        /// - Returns: nil for anything else, such as a symbolic link, which is no object.
        init?(_ record: FolderRecord) {
            switch record.type {
            case Int32(DT_DIR): isFolder = true
            case Int32(DT_REG): isFolder = false
            default: return nil
            }
            name = record.name
            order = Array(name.utf8) + (isFolder ? [slash] : [])
        }

        /// Whether it is a later key, or a folder that may contain some.
        func isAfter(_ passed: [UInt8]?) -> Bool {
            guard let passed else { return true }
            return passed.lexicographicallyPrecedes(order) || isFolder && passed.starts(with: order)
        }
    }

    /// The files and folders in a folder of the store, but for those that were passed, the last one first.
    private func members(of folder: ObjectKey, after passed: [UInt8]?, in root: OpenDescriptor) throws(ObjectStoreError)
        -> [(key: ObjectKey, isFolder: Bool)]
    {
        let records: [FolderRecord]
        do throws(Errno) {
            try Self.requireObjectName(folder)
            let open = try openFolder(folder.components, in: root)
            records = try Self.records(in: open)
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else {
                throw failure(folder, error.rawValue)
            }
            // No such folder means no objects, unless it is the store that is gone.
            if let absence { throw absence }
            return []
        }
        return records.compactMap(Member.init).filter { $0.isAfter(passed) }
            .sorted { $1.order.lexicographicallyPrecedes($0.order) }
            .compactMap { member in ObjectKey(folder.components + [member.name]).map { ($0, member.isFolder) } }
    }

    /// The content of a folder. Names that are not UTF-8 are never ours and are left out.
    static func records(in folder: OpenDescriptor) throws(Errno) -> [FolderRecord] {
        var records = try FolderRecord.all(in: FileDescriptor(rawValue: folder.number))
        for index in records.indices where records[index].type == Int32(DT_UNKNOWN) {
            let name = records[index].name
            records[index] = FolderRecord(name: name, type: try type(of: name, in: folder))
        }
        return records
    }

    private static func type(of name: String, in folder: OpenDescriptor) throws(Errno) -> Int32 {
        let status: stat
        do throws(Errno) { status = try folder.status(of: name) } catch {
            // Removed meanwhile. Any other failure must show: a listing without the object would count as complete.
            if error == .noSuchFileOrDirectory { return Int32(DT_UNKNOWN) }
            throw error
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return Int32(DT_DIR)
        case S_IFREG: return Int32(DT_REG)
        default: return Int32(DT_UNKNOWN)
        }
    }
}
