import Glibc
import SystemPackage

/// Walking the folders of the store.
extension DirectoryStore {
    /// What a folder says of one name in it.
    struct Record {
        let name: String
        /// DT_DIR and the like; DT_UNKNOWN where the file system does not say.
        let type: Int32
    }

    public func list(
        _ prefix: ObjectKey, after: ObjectKey?, limit: Int
    ) async throws(ObjectStoreError) -> [ObjectKey] {
        try await onBlockingThread { () throws(ObjectStoreError) in
            try requirePresence()
            let found = try objects(below: prefix)
            let later = found.filter { key in after.map { $0 < key } ?? true }
            return Array(later.sorted().prefix(max(0, limit)))
        }
    }

    private func objects(below prefix: ObjectKey) throws(ObjectStoreError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        var folders = [prefix]
        while let folder = folders.popLast() {
            for (key, isFolder) in try members(of: folder) {
                if isFolder { folders.append(key) } else { found.append(key) }
            }
        }
        return found
    }

    /// The plain files and folders in a folder of the store; anything else is no object.
    private func members(of folder: ObjectKey) throws(ObjectStoreError) -> [(key: ObjectKey, isFolder: Bool)] {
        let path = try path(folder)
        let records: [Record]
        do throws(Errno) { records = try Self.records(in: path) } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else {
                throw failure(folder, error.rawValue)
            }
            // No such folder means no objects, unless it is the store that is gone.
            try requirePresence()
            return []
        }
        return records.compactMap { record in
            guard let key = ObjectKey(folder.components + [record.name]) else { return nil }
            switch Self.type(of: record, at: path + "/" + record.name) {
            case Int32(DT_DIR): return (key, true)
            case Int32(DT_REG): return (key, false)
            default: return nil
            }
        }
    }

    private static func type(of record: Record, at path: String) -> Int32 {
        guard record.type == Int32(DT_UNKNOWN) else { return record.type }
        var status = stat()
        guard lstat(path, &status) == 0 else { return record.type }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return Int32(DT_DIR)
        case S_IFREG: return Int32(DT_REG)
        default: return record.type
        }
    }

    /// What is in a folder. Names that are not UTF-8 are none of ours and are left out.
    static func records(in path: String) throws(Errno) -> [Record] {
        guard let stream = opendir(path) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var records: [Record] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // Not `d_name` as a value: its 256 bytes would reach beyond a record that is shorter.
            let start = UnsafeRawPointer(entry) + MemoryLayout<dirent>.offset(of: \.d_name)!
            let bytes = UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self)))
            guard let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else { continue }
            records.append(Record(name: name, type: Int32(entry.pointee.d_type)))
        }
        guard errno == 0 else { throw Errno(rawValue: errno) }
        return records
    }
}
