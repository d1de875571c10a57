import Backing
import Catalog
import Documents
import Glibc
import Logging
import ObjectStore
import Replication
import Synchronization
import SystemPackage

/// Content that is not here: who opens it starts its arrival and waits for what the open needs of it.
extension Library {
    /// Waits for the content of an open that was answered with `Opening.arriving`, and opens it: for
    /// reading when the first bytes are here, for writing when all are.
    ///
    /// - Throws: EHOSTUNREACH when the first bytes do not come within the timeout, EINTR, EIO for
    ///   content that is damaged, or what opening it then gives.
    public func finishOpening(_ inode: InodeNumber, flags: Int32, by caller: Caller = .unknown) async throws(Errno)
        -> OpenedFile
    {
        if inode.isVersion { return try await finishOpeningVersion(inode) }
        let onlyReads = flags & O_ACCMODE == O_RDONLY && flags & O_TRUNC == 0
        while true {
            if let arrival = try arrival(of: inode) {
                try await waitForStart(of: arrival)
                if onlyReads, let file = openArriving(arrival, by: caller) { return file }
                try await arrival.waitUntilInstalled()
            }
            // Meanwhile a still newer version may have come.
            if case .opened(let file) = try open(inode, flags: flags, by: caller) { return file }
        }
    }

    /// Waits until the content of an entry is here, whole and verified.
    public func waitForContent(of inode: InodeNumber) async throws(Errno) {
        guard let arrival = try arrival(of: inode) else { return }
        try await waitForStart(of: arrival)
        try await arrival.waitUntilInstalled()
    }

    /// Whether a read of these bytes can be answered at once.
    public func hasArrived(_ handle: Handle, from offset: Int64, count: Int) -> Bool {
        guard let arrival = handle.file.arrival, arrival.stage != .installed else { return true }
        return arrival.download.has(offset..<max(offset, offset + Int64(count)))
    }

    /// Waits for these bytes of a file that was opened before all of it was here, and for no others.
    public func waitForBytes(_ handle: Handle, from offset: Int64, count: Int) async throws(Errno) {
        guard let arrival = handle.file.arrival else { return }
        do throws(TransferError) {
            try await arrival.download.wait(for: offset..<max(offset, offset + Int64(count)))
        } catch { throw Errno(error) }
    }

    /// The arrival of an entry's current version, begun if it is not under way; nil when it is here.
    ///
    /// - Throws: EHOSTUNREACH while the cloud is known to be out of reach.
    func arrival(of inode: InodeNumber) throws(Errno) -> Arrival? {
        try joinArrival(of: inode) { catalog in
            guard let entry = try catalog.entry(inode), let id = entry.id else { throw Errno.staleNFSFileHandle }
            // It may have come since somebody found that it must.
            if entry.isBackingCurrent { return nil }
            guard transfers.isReachable else { throw Errno.noRouteToHost }
            let visible = try CatalogReplica(catalog).visibleEntry(id, at: surroundings.now())
            guard let version = visible?.versions?.current else { throw Errno.ioError }
            return try makeArrival(of: inode, version, id)
        } carriedOutBy: { [self] arrival in
            await carryOut(arrival)
        }
    }

    /// The arrival that is under way for an inode, or else the one that `make` gives, if any.
    func joinArrival(
        of inode: InodeNumber, begunBy make: (CatalogTransaction) throws -> Arrival?,
        carriedOutBy carryOut: @escaping @Sendable (Arrival) async -> Result<Void, Errno>
    ) throws(Errno) -> Arrival? {
        if let arrival = transfers.arrival(of: inode) { return arrival }
        // Looked up and registered in one turn of the catalog's queue: of two who come at once one begins it.
        let (arrival, isNew) = try inspect { catalog -> (Arrival?, Bool) in
            if let arrival = transfers.arrival(of: inode) { return (arrival, false) }
            guard let arrival = try make(catalog) else { return (nil, false) }
            transfers.register(arrival)
            return (arrival, true)
        }
        if let arrival, isNew {
            arrival.start { await carryOut(arrival) }
            stateChanged()
        }
        return arrival
    }

    func makeArrival(of inode: InodeNumber, _ version: DocumentVersion, _ id: EntryID) throws -> Arrival {
        // A name of its own, so that nobody who reads an earlier try sees this one's bytes, and an
        // earlier try that ends late does not take this one's file away.
        var random = surroundings.random()
        let name = "arriving-\(inode)-\(VersionID.random(using: &random))"
        let descriptor = try backing.staging.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        let download = Download(
            store: store, key: try version.key(of: id), version: version,
            into: FileDescriptor(rawValue: descriptor.number))
        return Arrival(
            inode: inode, document: id, version: version, stagingName: name, descriptor: descriptor, download: download)
    }

    /// Opens content that is arriving for reading; nil when it is not arriving any more.
    private func openArriving(_ arrival: Arrival, by caller: Caller) -> OpenedFile? {
        guard arrival.stage == .underWay else { return nil }
        defer { stateChanged() }
        return openToRead(arrival, by: caller)
    }

    /// Opens what has come of a content, and what is still to come of it, for reading.
    func openToRead(_ arrival: Arrival, by caller: Caller = .unknown) -> OpenedFile {
        let file =
            openFiles.shareableFile(arrival.inode, forWriting: false)
            ?? OpenFile(inode: arrival.inode, descriptor: arrival.descriptor, isWritable: true, arrival: arrival)
        return register(Handle(file: file, canWrite: false, opener: opener(of: file, caller, flags: O_RDONLY)))
    }

    func waitForStart(of arrival: Arrival) async throws(Errno) {
        let result = await withTaskGroup(of: Result<Void, Errno>.self) {
            [timeout = configuration.timeout, sleep = surroundings.sleep] group in
            group.addTask {
                do throws(TransferError) {
                    try await arrival.download.waitForStart()
                    return .success(())
                } catch { return .failure(Errno(error)) }
            }
            group.addTask {
                try? await sleep(timeout)
                return .failure(.noRouteToHost)
            }
            defer { group.cancelAll() }
            return await group.next()!
        }
        try result.get()
    }

    // MARK: The transfer

    private func carryOut(_ arrival: Arrival) async -> Result<Void, Errno> {
        let result: Result<Void, Errno>
        do throws(TransferError) {
            try await arrival.download.run()
            result = install(arrival)
        } catch {
            result = .failure(Errno(error))
            noteFailure(error, of: arrival)
            if error == .damaged { forsake(arrival.inode) }
        }
        transfers.end(arrival, of: arrival.inode)
        try? backing.staging.removeFile(arrival.stagingName)
        stateChanged()
        return result
    }

    private func noteFailure(_ error: TransferError, of arrival: Arrival) {
        if error == .cancelled { return }
        logger.warning("a download failed", metadata: ["inode": "\(arrival.inode)", "error": "\(error)"])
        let pause = retries.failed(arrival.inode)
        do throws(Errno) {
            try mutate { catalog in
                // An edit may have taken its place meanwhile.
                guard let entry = try catalog.entry(arrival.inode), !entry.isBackingCurrent else { return }
                // Only what is on its way out of the cloud comes without being asked for.
                let next =
                    entry.container == .local ? "retrying in \(pause.components.seconds) s" : "opening it tries again"
                try catalog.setError("\(error); \(next)", of: arrival.inode)
            }
        } catch {
            logger.error("a failure could not be noted", metadata: ["error": "\(error)"])
        }
    }

    /// Bytes that were read of content that turned out damaged may be in the kernel's cache: the next try
    /// gets an inode of its own.
    private func forsake(_ inode: InodeNumber) {
        do throws(Errno) {
            try mutate { catalog in
                guard let entry = try catalog.entry(inode), !entry.isHere, openFiles.isOpen(inode) else { return }
                openFiles.detach(inode)
                retries.passOn(from: inode, to: try catalog.renumber(inode))
                catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error(
                "a damaged content could not be left behind", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    /// Puts content that is whole and verified in its place.
    private func install(_ arrival: Arrival) -> Result<Void, Errno> {
        do throws(Errno) {
            let isInstalled = try mutate { catalog in try install(arrival, catalog) }
            if !isInstalled { throw .staleNFSFileHandle }
            retries.succeeded(arrival.inode)
            transfers.wake.signal()
            return .success(())
        } catch {
            arrival.stage = .failed
            // What nobody has a use for any more is not tried again, and must not delay the edit that came instead.
            if error != .staleNFSFileHandle { _ = retries.failed(arrival.inode) }
            return .failure(error)
        }
    }

    /// - Returns: false where an edit is in its place that somebody made in the store while no mount used it.
    private func install(_ arrival: Arrival, _ catalog: CatalogTransaction) throws -> Bool {
        // It may have been removed, overtaken, or be edited in its older version meanwhile.
        guard var entry = try catalog.entry(arrival.inode), !entry.isBackingCurrent,
            entry.currentVersion == arrival.version.id, !openFiles.isOpenForWriting(entry.inode)
        else { throw Errno.staleNFSFileHandle }
        if try noteEditInStore(of: &entry, catalog) { return false }
        try settle(arrival, into: entry, catalog)
        try withdrawDeparting(&entry, catalog)
        entry.isHere = true
        entry.contentVersion = arrival.version.id
        entry.backing = try arrival.descriptor.identify().evidence
        entry.error = nil
        try catalog.update(entry)
        catalog.announce(.attributesChanged(of: entry.inode))
        arrival.stage = .installed
        return true
    }

    /// The last handle of a file closed that a newer version had overtaken while it was open for
    /// writing, or what was to be saved of it turned out to be saved: from now on its name means the
    /// newer one. Who reads it goes on reading it.
    func leaveOvertaken(_ inode: InodeNumber) {
        do throws(Errno) {
            try mutate { catalog in
                guard let entry = try catalog.entry(inode), entry.isOutdated else { return }
                // Who may still write to it leaves it when it is closed.
                openFiles.noteOvertaken(inode)
                if openFiles.isOpenForWriting(inode) { return }
                noteHolders(of: entry)
                openFiles.detach(inode)
                _ = try catalog.renumber(inode)
                catalog.announce(.entryChanged(EntryNames(entry), besides: nil))
            }
        } catch {
            logger.error("a newer version could not be shown", metadata: ["inode": "\(inode)", "error": "\(error)"])
        }
    }

    private func settle(_ arrival: Arrival, into entry: Entry, _ catalog: CatalogTransaction) throws {
        let number = arrival.descriptor.number
        if let displayName = entry.name?.displayName {
            backing.mirror(displayName: displayName, on: arrival.descriptor)
        }
        let folder = try backing.folder(entry.parent, catalog)
        // Owner before mode: a change of owner clears set-id bits.
        if entry.isHere { try keepOwner(of: folder, entry.filename, on: arrival.descriptor) }
        _ = try Descriptor.check { fchmod(number, mode_t(entry.mode | BackingFolder.fileAccess)) }
        let times = [entry.modified.timespec, entry.modified.timespec]
        _ = try Descriptor.check { futimens(number, times) }
        try arrival.descriptor.synchronize(dataOnly: false)
        try folder.keepingTime { () throws(Errno) in
            try backing.staging.rename(arrival.stagingName, to: folder, entry.filename)
        }
        // A withdrawal may follow, which lets the cloud drop its copy: the name must be durable too.
        if entry.container == .local { try folder.synchronize() }
    }
}

extension Library {
    /// An older version's file stands where the new one goes: the document stays its owner's (chown does not travel).
    private func keepOwner(of folder: BackingFolder, _ filename: String, on file: Descriptor) throws(Errno) {
        let former: stat
        do throws(Errno) { former = try folder.status(filename) } catch {
            if error == .noSuchFileOrDirectory { return }
            throw error
        }
        let present = try file.status()
        if former.st_uid == present.st_uid, former.st_gid == present.st_gid { return }
        do throws(Errno) { _ = try Descriptor.check { fchown(file.number, former.st_uid, former.st_gid) } } catch {
            // Some file systems give every file one owner, and nobody gives a file to a group that they have left: the content counts.
            if error != .notPermitted { throw error }
        }
    }
}

extension Errno {
    init(_ error: TransferError) {
        self =
            switch error {
            case .store(.unreachable), .store(.gone), .store(.unauthorized): .noRouteToHost
            case .store(.outOfSpace): .noSpace
            case .store, .damaged, .changed: .ioError
            case .file(let errno): errno
            case .cancelled: .interrupted
            }
    }
}
