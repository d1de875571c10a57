import CLinux
import Glibc
import LinuxFiles
import SystemPackage

/// A small file of docfs's own in the store's folder, written as a whole.
public struct StoreFile {
    private let folder: BackingFolder
    private let name: String

    /// - Parameter path: of the store's folder, which must exist.
    public init(_ name: String, inStore path: String) throws(Errno) {
        folder = try BackingFolder.open(path: path)
        self.name = name
    }

    /// Replaces the file's content in one step. Durable when it returns; after a failure the file is as before.
    public func replace(_ bytes: [UInt8]) throws {
        let temporary = name + ".new"
        let file = try folder.openFile(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try FileDescriptor(rawValue: file.number).write(bytes, at: 0)
        try file.synchronize(dataOnly: false)
        try folder.rename(temporary, to: folder, name)
        try folder.synchronize()
    }
}
