import Backing
import Catalog
import Documents

/// Attributes by which a program asks for something. They are not listed, so that no copy of a document repeats the request.
extension Metadata {
    /// Says for a document of the cloud how its content is (`F.state`, `downloading`). Set to `current`, it starts a download; set to
    /// `notDownloaded`, it makes the document a placeholder.
    static let downloading = "user.document.downloading"
    /// Why a document's content must stay here, in one line. There is none if it may go.
    static let stayReason = "user.document.stays-because"

    /// - Returns: whether it was such an attribute.
    /// - Throws: EINVAL for an unknown word, the reason why a content stays, EHOSTUNREACH, ENOSPC and EBUSY where `--cache-limit` leaves no
    ///   room, EEXIST and ENODATA as `creation` wants, ESTALE.
    func request(_ name: String, _ value: [UInt8], of node: Node, _ creation: AttributeCreation) throws(Refusal) -> Bool
    {
        guard case .entry(let inode) = node else { return false }
        switch name {
        case Keeping.attribute: try keeping.mark(inode, value, creation)
        case Self.downloading:
            switch String(decoding: value, as: UTF8.self) {
            case DownloadState.current.rawValue: try arrivals.request(inode)
            case DownloadState.notDownloaded.rawValue:
                try evictions.evict(inode)
                notices.stateChanged()
            default: throw .unknownRequest
            }
        default: return false
        }
        return true
    }

    /// The value of an attribute of this kind.
    ///
    /// - Throws: ENODATA.
    func requestAttribute(_ name: String, of entry: Entry, _ rows: Rows) throws -> String? {
        switch name {
        case Keeping.attribute:
            guard try keeping.isKept(entry, rows) else { throw Refusal.noSuchAttribute }
            return Keeping.value
        case Self.downloading:
            guard entry.kind == .document,
                let state = try states.documentState(of: entry, rows).downloading
            else { throw Refusal.noSuchAttribute }
            return state.rawValue
        case Self.stayReason:
            guard entry.kind == .document, let reason = try evictions.reasonToStay(entry, rows) else {
                throw Refusal.noSuchAttribute
            }
            return reason.text
        default: return nil
        }
    }
}
