import Glibc
import SystemPackage

extension FilePath {
    public func open(
        _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
    ) throws -> OpenFile {
        try OpenFile(self, mode, options, permissions)
    }

    public func bytes() throws -> [UInt8] { try open(.readOnly).readAll() }

    public func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// Writes the whole content as the shell's `>` does: create or truncate, write, close.
    public func write(_ bytes: [UInt8]) throws {
        let file = try open(.writeOnly, [.create, .truncate])
        try file.write(bytes)
        try file.close()
    }

    public func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Makes a new file, which must not exist.
    public func create(_ text: String = "") throws {
        let file = try open(.writeOnly, [.create, .exclusiveCreate])
        try file.write(Array(text.utf8))
        try file.close()
    }

    /// Adds to the end as the shell's `>>` does.
    public func append(_ text: String) throws {
        let file = try open(.writeOnly, [.create, .append])
        try file.write(Array(text.utf8))
        try file.close()
    }
}
