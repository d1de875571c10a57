import Documents
import Glibc
import MountSupport
import SystemPackage

/// The tree over a real mount, by system calls.
struct MountedTree: DocumentTree {
    let documents: FilePath

    private func absolute(_ path: DocumentPath) -> FilePath { documents / path.bytes }

    func open(
        _ path: DocumentPath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
    ) throws -> any OpenDocument {
        MountedDocument(file: try absolute(path).open(mode, options))
    }

    func rename(_ path: DocumentPath, to newPath: DocumentPath, _ options: RenameOptions) throws {
        try absolute(path).rename(to: absolute(newPath), RenameFlags(rawValue: UInt32(options.rawValue)))
    }

    func remove(_ path: DocumentPath) throws { try absolute(path).remove() }

    func makeFolder(_ path: DocumentPath) throws { try absolute(path).makeFolder() }

    func removeFolder(_ path: DocumentPath) throws { try absolute(path).removeFolder() }

    func makeSymbolicLink(_ path: DocumentPath, to target: String) throws {
        try absolute(path).makeSymbolicLink(to: target)
    }

    func symbolicLinkTarget(_ path: DocumentPath) throws -> String {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = try absolute(path).call { readlink($0, &target, target.count) }
        return String(decoding: target[..<count], as: UTF8.self)
    }

    func list(_ folder: DocumentPath) throws -> [String] { try absolute(folder).documentNames() }

    func status(_ path: DocumentPath) throws -> DocumentStatus { DocumentStatus(try absolute(path).linkStatus()) }

    func setPermissions(_ permissions: FilePermissions, of path: DocumentPath) throws {
        try absolute(path).setPermissions(permissions)
    }

    func attribute(_ name: String, of path: DocumentPath) throws -> [UInt8] {
        try absolute(path).attributeBytes(name)
    }

    func setAttribute(_ name: String, to value: [UInt8], of path: DocumentPath) throws {
        try absolute(path).setAttribute(name, value)
    }

    func removeAttribute(_ name: String, of path: DocumentPath) throws { try absolute(path).removeAttribute(name) }

    func attributeNames(of path: DocumentPath) throws -> [String] { try absolute(path).attributeNames() }
}

private struct MountedDocument: OpenDocument {
    let file: OpenFile

    func read(_ count: Int, at offset: Int64) throws -> [UInt8] { try file.read(count: count, at: offset) }

    func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

    func synchronize() throws { try file.synchronize() }

    func status() throws -> DocumentStatus {
        var status = Glibc.stat()
        try file.call { fstat($0, &status) }
        return DocumentStatus(status)
    }

    func close() throws { try file.close() }
}

extension DocumentStatus {
    fileprivate init(_ status: Glibc.stat) {
        self.init(
            size: Int64(status.st_size), links: UInt32(status.st_nlink),
            permissions: FilePermissions(rawValue: status.st_mode & 0o7777),
            isFolder: status.st_mode & S_IFMT == S_IFDIR,
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}
