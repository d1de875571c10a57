import Catalog
import Documents

/// A document that leaves the cloud, or loses its identity.
extension Entry {
    /// The entry as it was before it left the cloud.
    var inCloud: Entry {
        var entry = self
        entry.location = .cloud
        return entry
    }

    /// Makes a document a scratch file, and any entry one that the container does not know.
    mutating func dropIdentity() {
        if kind == .document { nature = .scratch }
        id = nil
        hasGeneratedFilename = false
        currentVersion = nil
        contentVersion = nil
        conflicts = 0
        pending = []
        bundle = nil
        error = nil
    }
}
