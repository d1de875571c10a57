import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Operations of programs on documents, by name.
extension TestDevice {
    private static var creator: Creator { Creator(owner: geteuid(), group: getegid(), mode: 0o644) }

    // MARK: Names

    @discardableResult
    func create(
        _ name: String, _ text: String = "", in folder: InodeNumber = .cloud, isExclusive: Bool = true,
        by process: Int32 = 0
    ) throws -> InodeNumber {
        try create(name, bytes: Array(text.utf8), in: folder, isExclusive: isExclusive, by: process)
    }

    @discardableResult
    func create(
        _ name: String, bytes: [UInt8], in folder: InodeNumber = .cloud, isExclusive: Bool = true, by process: Int32 = 0
    ) throws -> InodeNumber {
        var creator = Self.creator
        creator.caller = Caller(thread: process)
        let (_, opening) = try library.create(
            Array(name.utf8), in: folder, by: creator, flags: O_WRONLY | (isExclusive ? O_EXCL : 0))
        let number = try opened(opening)
        let inode = try library.handle(number).inode
        try write(bytes, to: number)
        library.close(number)
        return inode
    }

    @discardableResult
    func makeFolder(_ name: String, in folder: InodeNumber = .cloud) throws -> InodeNumber {
        _ = try library.makeFolder(
            Array(name.utf8), in: folder, by: Creator(owner: geteuid(), group: getegid(), mode: 0o755))
        return try inode(name, in: folder)
    }

    func makeLink(_ name: String, to target: String, in folder: InodeNumber = .cloud) throws {
        _ = try library.makeSymbolicLink(Array(name.utf8), to: Array(target.utf8), in: folder, by: Self.creator)
    }

    func rename(
        _ name: String, in folder: InodeNumber = .cloud, to newName: String, in newFolder: InodeNumber? = nil,
        _ options: RenameOptions = [], by process: Int32 = 0
    ) throws {
        try library.rename(
            Array(name.utf8), in: folder, to: Array(newName.utf8), in: newFolder ?? folder, options: options,
            by: Caller(thread: process))
    }

    /// Moves an entry that keeps its name.
    func move(_ name: String, from folder: InodeNumber, to newFolder: InodeNumber) throws {
        try rename(name, in: folder, to: name, in: newFolder)
    }

    func remove(_ name: String, in folder: InodeNumber = .cloud) throws {
        try library.remove(Array(name.utf8), in: folder)
    }

    // MARK: Entries

    func entry(_ name: String, in folder: InodeNumber = .cloud) throws -> Entry {
        try library.transactions.inspect { rows in
            guard let found = try library.namespace.resolve(name, in: folder, rows) else {
                throw Errno.noSuchFileOrDirectory
            }
            return found.entry
        }
    }

    func inode(_ name: String, in folder: InodeNumber = .cloud) throws -> InodeNumber {
        try entry(name, in: folder).inode
    }

    func exists(_ name: String, in folder: InodeNumber = .cloud) -> Bool { (try? entry(name, in: folder)) != nil }

    /// The entries of a folder by the names that people gave, sorted.
    func names(in folder: InodeNumber = .cloud) throws -> [String] {
        try library.transactions.inspect { try $0.children(of: folder) }.map { $0.name?.full ?? $0.filename }.sorted()
    }

    /// The path of an entry's backing file.
    func backingPath(_ name: String, in folder: InodeNumber = .cloud) throws -> String {
        let entry = try entry(name, in: folder)
        return try path(of: entry.parent) + "/" + entry.filename
    }

    private func path(of folder: InodeNumber) throws -> String {
        let entry = try #require(try library.transactions.inspect { try $0.entry(folder) })
        return folder <= .cloud ? store + "/" + entry.filename : try path(of: entry.parent) + "/" + entry.filename
    }

    // MARK: Content

    func open(
        _ name: String, in folder: InodeNumber = .cloud, _ flags: Int32 = O_RDONLY, by process: Int32 = 0
    ) async throws -> UInt64 {
        try await open(inode(name, in: folder), flags, by: process)
    }

    func open(_ inode: InodeNumber, _ flags: Int32 = O_RDONLY, by process: Int32 = 0) async throws -> UInt64 {
        let caller = Caller(thread: process)
        return switch try library.open(inode, flags: flags, by: caller) {
        case .opened(let file): file.number
        case .arriving(let inode): try await library.finishOpening(inode, flags: flags, by: caller).number
        }
    }

    /// The handle of an open that needed to wait for nothing.
    func opened(_ opening: Opening) throws -> UInt64 {
        guard case .opened(let file) = opening else { throw Errno.wouldBlock }
        return file.number
    }

    func write(_ bytes: [UInt8], to number: UInt64, at offset: Int64 = 0) throws {
        let handle = try library.handle(number)
        try library.willWrite(handle)
        let file = try handle.writable()
        try withExtendedLifetime(file) {
            _ = try FileDescriptor(rawValue: file.number).writeAll(toAbsoluteOffset: offset, bytes)
        }
    }

    func write(_ text: String, to number: UInt64, at offset: Int64 = 0) throws {
        try write(Array(text.utf8), to: number, at: offset)
    }

    /// Opens a document of the cloud as the kernel does to write to it by itself.
    func openUnseen(_ name: String, _ flags: Int32 = O_RDWR, by process: Int32 = 0) async throws -> UInt64 {
        let number = try await open(name, flags, by: process)
        let handle = try library.handle(number)
        #expect(handle.canBypass)
        if handle.canWrite { try library.contents.willWriteUnseen(handle) }
        return number
    }

    /// Writes to the backing file, with a descriptor that the library knows nothing of.
    func writeUnseen(_ text: String, to number: UInt64) throws {
        let file = try library.handle(number).descriptor.reopened(O_RDWR)
        try withExtendedLifetime(file) {
            _ = try FileDescriptor(rawValue: file.number).writeAll(toAbsoluteOffset: 0, text.utf8)
        }
    }

    /// Replaces the content as the shell's `>` does.
    func save(_ name: String, _ text: String, in folder: InodeNumber = .cloud) async throws {
        let number = try await open(name, in: folder, O_WRONLY | O_TRUNC)
        try write(text, to: number)
        library.close(number)
    }

    func setModified(_ name: String, in folder: InodeNumber = .cloud, seconds: Int) throws {
        try change(inode(name, in: folder)) { $0.modified = .at(Timestamp(seconds: seconds, nanoseconds: 0)) }
    }

    /// chmod, chown, utimensat and truncate.
    @discardableResult
    func change(_ inode: InodeNumber, _ choose: (inout AttributeChanges) -> Void) throws -> FileAttributes {
        var changes = AttributeChanges()
        choose(&changes)
        return try library.setAttributes(of: inode, changes)
    }

    /// All that an open file holds, waiting for what is still to come.
    func bytes(of number: UInt64) async throws -> [UInt8] {
        let handle = try library.handle(number)
        if let size = handle.arrivingSize { try await library.waitForBytes(handle, from: 0, count: Int(size)) }
        return try handle.descriptor.readPrefix(Int(try handle.descriptor.status().st_size))
    }

    func bytes(_ name: String, in folder: InodeNumber = .cloud) async throws -> [UInt8] {
        let number = try await open(name, in: folder)
        defer { library.close(number) }
        return try await bytes(of: number)
    }

    func text(_ name: String, in folder: InodeNumber = .cloud) async throws -> String {
        String(decoding: try await bytes(name, in: folder), as: UTF8.self)
    }

    func text(of number: UInt64) async throws -> String { String(decoding: try await bytes(of: number), as: UTF8.self) }
}
