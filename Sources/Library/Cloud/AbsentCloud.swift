import Backing
import Documents
import Replication

/// No cloud, for work that needs none, such as the repair of a store.
struct AbsentCloud: ContentSource {
    var connection: Connection { .offline("there is no cloud") }
    var address: ContainerAddress? { nil }

    func download(
        _ version: DocumentVersion, of document: EntryID, into file: Descriptor, moved: @escaping @Sendable () -> Void
    ) throws(TransferError) -> Download { throw .cancelled }

    func changesAreOfInterest() {}
    func changesAreWaiting() {}
}
