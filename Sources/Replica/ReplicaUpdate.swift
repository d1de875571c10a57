import Catalog
import Documents
import Replication

/// Entries of the committed state as a transaction is to store them (``ReplicaDraft``).
package struct ReplicaUpdate {
    struct ChangedEntry {
        let entry: ReplicaEntry
        /// The entry as JSON.
        let record: [UInt8]
        let former: ReplicaEntry?
    }

    let entries: [ChangedEntry]
    /// The hash of all entries with these.
    package let state: StateHash

    /// Stores them.
    ///
    /// - Parameter position: of the commit that changed them.
    package func write(at position: LogPosition, _ transaction: Transaction) throws {
        for changed in entries {
            try transaction.store(changed.entry, as: changed.record)
            try changed.recordDepartures(at: position, transaction)
        }
        // Last: a version may have passed from one entry to another.
        for changed in entries { try changed.forgetDepartures(transaction) }
    }

    /// The committed state with them, when they are stored.
    package func replica(_ rows: Rows) -> CatalogReplica {
        CatalogReplica(rows, known: Dictionary(uniqueKeysWithValues: entries.lazy.map { ($0.entry.id, $0.entry) }))
    }

    /// The documents that are deleted now and were not before.
    package var deletedDocuments: [EntryID] {
        entries.filter { $0.entry.isDeleted && $0.former?.isDeleted == false && $0.former?.versions != nil }.map(
            \.entry.id)
    }
}

extension ReplicaUpdate.ChangedEntry {
    /// Records the contents that are not needed any more because of the change.
    fileprivate func recordDepartures(at position: LogPosition, _ transaction: Transaction) throws {
        let (before, after) = (former?.neededVersions ?? [], entry.neededVersions)
        let known = Set(former?.versions?.all.map(\.id) ?? [])
        let all = entry.versions?.all ?? []
        // A version that the commit both added and replaced was not known before.
        let replaced = all.filter { !after.contains($0.id) && (before.contains($0.id) || !known.contains($0.id)) }
        // One that it replaced may have been thinned out with it.
        let kept = Set(all.map(\.id))
        let gone = (former?.versions?.leaves ?? []).filter { before.contains($0.id) && !kept.contains($0.id) }
        for version in replaced + gone {
            try transaction.record(
                DepartedContent(
                    version: version.id, document: version.keeper ?? entry.id, filename: version.filename,
                    position: position.number))
        }
    }

    /// The contents that are needed now and were not before.
    fileprivate func forgetDepartures(_ transaction: Transaction) throws {
        for version in entry.neededVersions.subtracting(former?.neededVersions ?? []) {
            try transaction.forgetDepartedContent(version)
            try transaction.forgetUpload(version)
        }
    }
}
