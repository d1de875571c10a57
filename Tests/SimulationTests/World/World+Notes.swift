import Backing
import Catalog
import Documents
import Glibc
@testable import Library
@testable import Replica
import Replication
import Synchronization
import SystemPackage

/// Writes contents, and records them in the ledger.
extension World {
    /// Opens for writing as the mount does, with passthrough where the life has it.
    ///
    /// - Returns: nil if the content is not here.
    func openToWrite(_ inode: InodeNumber, flags: Int32, on device: SimulatedDevice) throws(Refusal) -> UInt64? {
        guard case .opened(let file) = try device.library.open(inode, flags: flags) else { return nil }
        try prepareToWrite(file.number, on: device)
        return file.number
    }

    func prepareToWrite(_ number: UInt64, on device: SimulatedDevice) throws(Refusal) {
        let handle = try device.library.handle(number)
        if isUnseen(handle, on: device) { try device.library.contents.willWriteUnseen(handle) }
    }

    private func isUnseen(_ handle: Handle, on device: SimulatedDevice) -> Bool {
        device.library.canNoticeUnseenWrites && handle.canBypass
    }

    func write(_ bytes: [UInt8], to number: UInt64, on device: SimulatedDevice) throws(Refusal) {
        let handle = try device.library.handle(number)
        if !isUnseen(handle, on: device) { try device.library.willWrite(handle) }
        let file = try handle.writable()
        try Refusal.wrapping { try file.truncate(to: 0) }
        try put(bytes, at: 0, handle, on: device)
    }

    func append(_ bytes: [UInt8], to number: UInt64, on device: SimulatedDevice) throws(Refusal) {
        let handle = try device.library.handle(number)
        if !isUnseen(handle, on: device) { try device.library.willWrite(handle) }
        try put(bytes, at: Int64(try Refusal.wrapping { try handle.descriptor.status().st_size }), handle, on: device)
    }

    /// Sets the file's time to the world's: the kernel's clock is not simulated.
    private func put(_ bytes: [UInt8], at offset: Int64, _ handle: Handle, on device: SimulatedDevice) throws(Refusal) {
        let file = try handle.writable()
        let count = bytes.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, off_t(offset)) }
        precondition(count == bytes.count)
        let time = surroundings.clock.wallTime(skew: device.place.skew).timespec
        _ = try Refusal.wrapping { try Descriptor.check { futimens(file.number, [time, time]) } }
    }

    /// Closes a document that was written in one go, which is a save.
    func close(_ number: UInt64, _ inode: InodeNumber, on device: SimulatedDevice) throws(Refusal) {
        let handle = try device.library.handle(number)
        noteContent(of: number, on: device)
        // It is not saved while another program has it open for writing, or if it has no name.
        let isSaved = !handle.file.isUnlinked && !device.writers.contains { $0.inode == inode }
        if isSaved, let content = content(of: handle) { ledger.noteSave(content, by: device.index) }
        device.library.close(number)
    }

    func noteClosing(_ writer: SimulatedDevice.Writer, on device: SimulatedDevice) {
        guard let handle = try? device.library.handle(writer.handle), !handle.file.isUnlinked,
            handle.file.withWriting({ $0.writers == 1 }),
            handle.file.withWriting(\.isModified)
                || device.library.unseenWrites.written().contains(where: { $0 === handle.file }),
            let content = content(of: handle)
        else { return }
        ledger.noteSave(content, by: device.index)
    }

    func noteContent(of number: UInt64, on device: SimulatedDevice) {
        if let handle = try? device.library.handle(number), let content = content(of: handle) {
            ledger.noteContent(content)
        }
    }

    func noteSavingAgain(_ number: UInt64, on device: SimulatedDevice) {
        if let handle = try? device.library.handle(number), let content = content(of: handle) {
            ledger.noteSavedAgain(content)
        }
    }

    private func content(of handle: Handle) -> ContentHash? {
        guard let size = try? handle.descriptor.status().st_size,
            let bytes = try? handle.descriptor.readPrefix(Int(size))
        else { return nil }
        return contentHash(bytes)
    }

    /// Whoever has the file of an entry open, whatever the library holds of it.
    func writer(ofFileOf entry: Entry, on device: SimulatedDevice) -> SimulatedDevice.Writer? {
        let evidence = try? device.library.transactions.inspect { rows -> FileEvidence? in
            guard entry.isHere, entry.kind == .document else { return nil }
            return try device.library.store.files.folder(entry.parent, rows).identify(entry.filename).evidence
        }
        guard let evidence else { return nil }
        return device.writers.first { writer in
            (try? device.library.handle(writer.handle).descriptor.identify().evidence) == evidence
        }
    }

    /// The content of an entry's file on a device; nil if it has none.
    func localContent(of inode: InodeNumber, on device: SimulatedDevice) -> ContentHash? {
        try? device.library.transactions.inspect { rows -> ContentHash? in
            guard let entry = try rows.entry(inode), entry.isHere, entry.kind.isFile else { return nil }
            let file = try device.library.store.files.folder(entry.parent, rows).openUnnoticed(entry.filename)
            return contentHash(try file.readPrefix(Int(try file.status().st_size)))
        }
    }

    func noteOverwriting(_ entry: Entry, on device: SimulatedDevice) {
        if let content = localContent(of: entry.inode, on: device) { ledger.noteOverwritten(content, by: device.index) }
    }

    /// A commit whose answer was lost may be in the part of the log that is gone. Then its author sends the content once more, and another device may
    /// know it from there.
    func noteUncertain() throws {
        for device in devices {
            let entries = try device.library.transactions.inspect { try $0.descendants(of: .cloud) }
            for entry in entries where entry.pending.contains(.content) {
                if let content = localContent(of: entry.inode, on: device) { ledger.noteShared(content) }
            }
        }
    }

    /// Undo brings an edit that was not committed back as a save of its own. Its commit may have been on its way, and then it is in the
    /// history twice.
    func noteGivenUp(_ entry: Entry, on device: SimulatedDevice) {
        guard entry.pending.contains(.content), let content = localContent(of: entry.inode, on: device) else { return }
        ledger.noteShared(content)
    }

    func noteOverwriting(handle number: UInt64, on device: SimulatedDevice) {
        guard let handle = try? device.library.handle(number), !handle.file.isUnlinked,
            let content = content(of: handle)
        else { return }
        ledger.noteOverwritten(content, by: device.index)
    }

    /// - Parameter keepsContent: whether the content stays in another document on this device.
    func noteDeletion(of entry: Entry, on device: SimulatedDevice, keepsContent: Bool = false) {
        let local = localContent(of: entry.inode, on: device)
        if let local, !keepsContent { ledger.noteOverwritten(local, by: device.index) }
        guard let id = entry.id else { return }
        ledger.noteDeletion(
            of: id, seen: Set(shownVersions(of: entry, id, on: device).map(\.sha256) + [local].compactMap { $0 }))
    }

    /// The record for a rename that makes a document continue another one.
    struct Ending {
        let id: EntryID
        let seen: Set<ContentHash>
        let content: ContentHash?
        let bequest: [ContentHash]
    }

    /// - Returns: nil if it has no id.
    func ending(of entry: Entry, on device: SimulatedDevice) -> Ending? {
        guard let id = entry.id else { return nil }
        let content = localContent(of: entry.inode, on: device)
        return Ending(
            id: id, seen: Set(shownVersions(of: entry, id, on: device).map(\.sha256) + [content].compactMap { $0 }),
            content: content, bequest: bequest(of: entry, id, on: device))
    }

    func note(_ ending: Ending) {
        ledger.noteDeletion(of: ending.id, seen: ending.seen)
        if let content = ending.content { ledger.noteShared(content) }
        for content in ending.bequest { ledger.noteBequest(content, from: ending.id) }
        ledger.count("succession")
    }

    /// The contents of a document that a device has shown: earlier versions, conflict versions, and the newest one, unless an unsent content of
    /// this device replaces it.
    private func shownVersions(of entry: Entry, _ id: EntryID, on device: SimulatedDevice) -> [DocumentVersion] {
        let now = surroundings.clock.wallTime(skew: device.place.skew)
        guard
            let versions = try? device.library.transactions.inspect({
                try CatalogReplica($0).visibleEntry(id, at: now)?.versions
            })
        else { return [] }
        let isHidden = entry.pending.contains(.content) && entry.contentVersion != versions.current.id
        return versions.superseded.map(\.version) + versions.conflicts + (isHidden ? [] : [versions.current])
    }

    /// The contents of a document that a device knows of, whether they are here or not.
    func contentsKnown(of entry: Entry, on device: SimulatedDevice) -> [ContentHash] {
        entry.id.map { shownVersions(of: entry, $0, on: device).map(\.sha256) } ?? []
    }

    /// Call this before a document is renamed over another: its conflict versions then belong to that one.
    func noteBequest(of entry: Entry, on device: SimulatedDevice) {
        guard let id = entry.id, entry.conflicts > 0, entry.isBackingCurrent else { return }
        for content in bequest(of: entry, id, on: device) { ledger.noteBequest(content, from: id) }
        ledger.count("bequest")
    }

    private func bequest(of entry: Entry, _ id: EntryID, on device: SimulatedDevice) -> [ContentHash] {
        let now = surroundings.clock.wallTime(skew: device.place.skew)
        let conflicts = try? device.library.transactions.inspect {
            try CatalogReplica($0).visibleEntry(id, at: now)?.versions?.conflicts
        }
        // An edit that was not sent yet takes the place of the version that it was made from.
        let replaced = entry.pending.contains(.content) ? entry.contentVersion : nil
        return (conflicts ?? []).filter { $0.id != replaced }.map(\.sha256)
    }
}

extension EntryKind {
    /// Whether an entry of this kind has a content.
    var isFile: Bool { self == .document || self == .scratch }
}
