import CFuse
import Documents
import Library

/// Opening and writing `Documents/.location`.
extension Filesystem {
    func openLocation() -> OpenReply {
        let handle = virtualFiles.add(library.preferredLocationText)
        return OpenReply(handle: handle, content: .direct) { [self] in virtualFiles.remove(handle) }
    }

    /// Each write is the whole word, so that the writer hears of a wrong one.
    func writeLocation(_ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>) throws(Refusal) -> Reply {
        let size = fuse_buf_size(source)
        guard size <= LocationText.mostBytes else { throw .unknownLocation }
        try library.setPreferredLocation(text: try Self.writtenBytes(of: source))
        virtualFiles.replaceText(of: handle, by: Array(library.preferredLocationText.utf8))
        return .written(size)
    }
}
