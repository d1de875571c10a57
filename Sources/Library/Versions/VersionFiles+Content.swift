import Backing
import Catalog
import Documents
import Glibc
import Replication
import SystemPackage

extension VersionFiles {
    /// Opens a version for reading: at once if this device holds that content.
    ///
    /// - Throws: EACCES for writing, EHOSTUNREACH offline, ESTALE.
    func openVersion(_ inode: InodeNumber, flags: Int32) throws(Refusal) -> Opening {
        if flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0 { throw .versionNotWritable }
        if let file = openFiles.shareableFile(inode, forWriting: false) {
            return .opened(contents.register(Handle(file: file, canWrite: false)))
        }
        if let descriptor = try inspect({ try backingContent(of: inode, $0) }) {
            let file = OpenFile(inode: inode, descriptor: descriptor)
            return .opened(contents.register(Handle(file: file, canWrite: false)))
        }
        try cloud.requireReachable()
        return .arriving(inode)
    }

    /// Waits for the first bytes of a version, and opens it.
    ///
    /// - Throws: EHOSTUNREACH after the timeout, EINTR, EIO for damaged content, ESTALE.
    func finishOpeningVersion(_ inode: InodeNumber) async throws(Refusal) -> OpenedFile {
        let arrival = try versionArrival(inode)
        try await arrivals.waitForStart(of: arrival)
        return arrivals.openToRead(arrival)
    }

    /// The document's own file, if it still holds this version.
    private func backingContent(of inode: InodeNumber, _ rows: Rows) throws -> Descriptor? {
        let (version, id) = try describedVersion(inode, rows)
        guard let entry = try rows.entry(id), entry.isHere, entry.contentVersion == version.id,
            !entry.pending.contains(.content), !openFiles.isOpenForWriting(entry.inode)
        else { return nil }
        return try backing.folder(entry.parent, rows).openUnnoticed(entry.filename)
    }

    /// The download of a version into a file without a name. All handles that read the version share it.
    private func versionArrival(_ inode: InodeNumber) throws(Refusal) -> Arrival {
        let arrival = try arrivals.joinArrival(of: inode) { transaction in
            let (version, id) = try describedVersion(inode, transaction)
            let arrival = try arrivals.makeArrival(of: inode, version, id)
            try backing.staging.removeFile(arrival.stagingName)
            return arrival
        } performedBy: { [self] arrival in
            await fetch(arrival)
        }
        guard let arrival else { throw .staleInode }
        return arrival
    }

    private func fetch(_ arrival: Arrival) async -> Result<Void, Refusal> {
        defer { transfers.end(arrival, of: arrival.inode) }
        do throws(TransferError) {
            try await arrival.download.run()
            arrival.stage = .installed
            return .success(())
        } catch { return .failure(.transfer(error)) }
    }
}
