import Documents
import Catalog

/// The order of folders.
extension Library {
    /// The text of a folder's `.order`.
    ///
    /// - Throws: ESTALE.
    public func orderText(of folder: InodeNumber) throws(Refusal) -> String {
        try order.orderText(of: folder)
    }

    /// - Throws: EPERM for a folder that is sorted, ESTALE.
    public func requireManualOrder(of folder: InodeNumber) throws(Refusal) {
        try order.requireManualOrder(of: folder)
    }

    /// Brings the entries of a folder into the order of a text that is written to its `.order`.
    ///
    /// - Throws: EINVAL for a name that no entry of the folder has, EPERM for a folder that is sorted; then nothing changes. ESTALE.
    public func reorder(_ folder: InodeNumber, by text: [UInt8]) throws(Refusal) {
        try order.reorder(folder, by: text)
    }

    /// Whether the listing of a folder stays as it is while no name in it changes: that of a sorted one may not.
    public func isListingStable(of folder: InodeNumber) throws(Refusal) -> Bool {
        try order.isListingStable(of: folder)
    }
}
