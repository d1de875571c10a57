import CFuse
import Documents
import Library

/// Opening, reading and writing `Documents/.location`.
extension Filesystem {
    func openLocation() -> OpenReply {
        let handle = stateFiles.add(text: library.preferredLocationText)
        return OpenReply(handle: handle, content: .direct) { [self] in stateFiles.remove(handle) }
    }

    func readLocation(_ handle: UInt64, _ offset: Int, _ size: Int) throws(Refusal) -> Reply {
        guard let text = stateFiles[handle] else { throw .noSuchHandle }
        return .bytes(Array(text.dropFirst(offset).prefix(size)))
    }

    /// Each write is the whole word, so that the writer hears of a wrong one.
    func writeLocation(_ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>) throws(Refusal) -> Reply {
        let size = fuse_buf_size(source)
        guard size <= LocationText.mostBytes else { throw .unknownLocation }
        try library.setPreferredLocation(text: try Self.writtenBytes(of: source))
        stateFiles.renew(handle, text: library.preferredLocationText)
        return .written(size)
    }
}
