import Documents
import SystemPackage

/// System calls of programs on documents. Each call throws the `Errno` that a program would see.
protocol DocumentTree: Sendable {
    func open(
        _ path: DocumentPath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions
    ) throws -> any OpenDocument
    func rename(_ path: DocumentPath, to newPath: DocumentPath, _ options: RenameOptions) throws
    func remove(_ path: DocumentPath) throws
    func makeFolder(_ path: DocumentPath) throws
    func removeFolder(_ path: DocumentPath) throws
    func makeSymbolicLink(_ path: DocumentPath, to target: String) throws
    func symbolicLinkTarget(_ path: DocumentPath) throws -> String
    /// The names in a folder in listing order, without the state files of the upper folders.
    func list(_ folder: DocumentPath) throws -> [String]
    func status(_ path: DocumentPath) throws -> DocumentStatus
    func setPermissions(_ permissions: FilePermissions, of path: DocumentPath) throws
    func attribute(_ name: String, of path: DocumentPath) throws -> [UInt8]
    func setAttribute(_ name: String, to value: [UInt8], of path: DocumentPath) throws
    func removeAttribute(_ name: String, of path: DocumentPath) throws
    /// Sorted.
    func attributeNames(of path: DocumentPath) throws -> [String]
}

extension DocumentTree {
    func rename(_ path: DocumentPath, to newPath: DocumentPath) throws { try rename(path, to: newPath, []) }
}

/// A document held open.
protocol OpenDocument: Sendable {
    /// At most `count` bytes; none at the end.
    func read(_ count: Int, at offset: Int64) throws -> [UInt8]
    /// Writes at the end of what was written before or, opened with O_APPEND, at the end of the file.
    func write(_ bytes: [UInt8]) throws
    func synchronize() throws
    func status() throws -> DocumentStatus
    func close() throws
}

/// The fields of stat(2) that both grounds know.
struct DocumentStatus: Equatable, Sendable {
    let size: Int64
    let links: UInt32
    let permissions: FilePermissions
    let isFolder: Bool
    /// Nanoseconds since 1970.
    let modified: Int64
}
