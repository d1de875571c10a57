import Documents
import CFuse
import Glibc
import Library
import SystemPackage

/// Opening and writing a folder's `.order`.
///
/// Each write that leaves the text whole reorders the folder, so that an unknown name is refused where its writer hears of it: shells do
/// not look at the result of close(2).
extension Filesystem {
    func openOrder(of folder: InodeNumber, _ flags: Int32) throws(Refusal) -> OpenReply {
        let text = try library.orderText(of: folder)
        if flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0 { try library.requireManualOrder(of: folder) }
        let handle = virtualFiles.add(flags & O_TRUNC == 0 ? Array(text.utf8) : [])
        return OpenReply(handle: handle, content: .direct) { [self] in virtualFiles.remove(handle) }
    }

    func writeOrder(
        of folder: InodeNumber, _ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>, _ offset: Int
    ) throws(Refusal) -> Reply {
        guard var text = virtualFiles[handle] else { throw .noSuchHandle }
        let written = try Self.writtenBytes(of: source)
        guard offset + written.count <= VirtualFiles.longest else { throw .unknownNameInOrder }
        // A write at the beginning begins the text anew: else the rest of the former text would follow in the middle of a line.
        if offset == 0 { text = [] }
        // A gap has no names in it.
        if offset > text.count { text += repeatElement(UInt8(ascii: "\n"), count: offset - text.count) }
        text.replaceSubrange(offset..<min(text.count, offset + written.count), with: written)
        try library.reorder(folder, by: text)
        virtualFiles.replaceText(of: handle, by: text)
        return .written(written.count)
    }

    /// ftruncate(2) changes the text of the handle. truncate(2) without one changes nothing: a text without names has no effect.
    func truncateOrder(of folder: InodeNumber, _ handle: UInt64?, to size: Int64) throws(Refusal) {
        try library.requireManualOrder(of: folder)
        guard let handle, let text = virtualFiles[handle] else { return }
        virtualFiles.replaceText(of: handle, by: Array(text.prefix(Int(max(0, size)))))
    }

    static func writtenBytes(of source: UnsafeMutablePointer<fuse_bufvec>) throws(Refusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: fuse_buf_size(source))
        let count = bytes.withUnsafeMutableBytes { memory in
            var target = docfs_memory_buffer(memory.baseAddress, memory.count)
            return fuse_buf_copy(&target, source, fuse_buf_copy_flags(rawValue: 0))
        }
        guard count >= 0 else { throw .file(.init(rawValue: Int32(-count))) }
        return Array(bytes.prefix(count))
    }
}
