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

    /// Walks in the order of the keys and passes over folders that come before `after`: so listing page by page takes time in
    /// proportion to what there is.
    private func objects(
        below prefix: ObjectKey, after: ObjectKey?, limit: Int, in root: OpenDescriptor
    ) throws(ObjectStoreError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        // The next folder to read is the last of the list.
        var rest: [(key: ObjectKey, isFolder: Bool)] = [(prefix, true)]
        while found.count < limit, let next = rest.popLast() {
            if !next.isFolder {
                if after.map({ $0 < next.key }) ?? true { found.append(next.key) }
            } else if mayContain(next.key, after: after) {
                rest += try members(of: next.key, in: root).map { ($0, Self.sortKey($0)) }.sorted {
                    $1.1.lexicographicallyPrecedes($0.1)
                }.map(\.0)
            }
        }
        return found
    }

    /// A folder is sorted as its first key would be.
    private static func sortKey(_ member: (key: ObjectKey, isFolder: Bool)) -> [UInt8] {
        Array(member.key.description.utf8) + (member.isFolder ? [UInt8(ascii: "/")] : [])
    }

    private func mayContain(_ folder: ObjectKey, after: ObjectKey?) -> Bool {
        guard let after else { return true }
        let start = Array(folder.description.utf8) + [UInt8(ascii: "/")]
        let bound = after.description.utf8
        return bound.starts(with: start) || bound.lexicographicallyPrecedes(start)
    }

    /// The plain files and folders in a folder of the store. Anything else, such as a symbolic link, is not an object.
    private func members(of folder: ObjectKey, in root: OpenDescriptor) throws(ObjectStoreError) -> [(
        key: ObjectKey, isFolder: Bool
    )] {
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
        return records.compactMap { record in
            guard let key = ObjectKey(folder.components + [record.name]) else { return nil }
            switch record.type {
            case Int32(DT_DIR): return (key, true)
            case Int32(DT_REG): return (key, false)
            default: return nil
            }
        }
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
