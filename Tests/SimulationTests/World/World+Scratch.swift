import Backing
import Catalog
import Documents
import Glibc
@testable import Library

/// What programs do with scratch names, backups and the trash.
extension World {
    private static let scratchNames = ["a.txt~", "b.txt~", "Plan.tmp", "Untitled.part"]

    func actOnScratch(_ entries: [Entry], on device: SimulatedDevice) throws(Refusal) {
        let documents = entries.filter { $0.kind == .document }
        let scratch = entries.filter { $0.kind == .scratch }
        let document = random.once(in: 2) ? documents.first : documents.randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3:
            if let document { try rename(document, toOneOf: Self.scratchNames, in: document.parent, on: device) }
        case 3..<6:
            guard let file = scratch.randomElement(using: &random) else { return }
            try rename(file, toOneOf: Self.names, in: random.once(in: 3) ? .cloud : file.parent, on: device)
        case 6..<8: if let document { try saveWithBackup(document, on: device) }
        case 8..<11: try throwAway(entries, on: device)
        default:
            if let trash = trash(in: entries), random.once(in: 2) {
                try removeAll(trash, on: device)
            } else if let file = scratch.randomElement(using: &random) {
                try remove(file, on: device)
            }
        }
    }

    private func rename(
        _ entry: Entry, toOneOf names: [String], in folder: InodeNumber, on device: SimulatedDevice
    ) throws(Refusal) {
        let name = names.randomElement(using: &random)!
        trace("\(device.place.name) renames \(Self.text(entry)) to \(name) in \(folder)")
        try rename(entry, to: name, in: folder, on: device)
    }

    /// As editors do: the old file gets the name of a backup, which may be one of a document, and another file is made. The backup goes at once,
    /// later, or never.
    private func saveWithBackup(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        if device.writers.contains(where: { $0.inode == entry.inode }) { return }
        trace("\(device.place.name) saves \(Self.text(entry)) with a backup")
        // Programs go by either name.
        let name = random.once(in: 3) ? entry.filename : entry.name?.full ?? entry.filename
        let backupName = name + (random.once(in: 2) ? "~" : ".bak")
        noteOverwriting(entry, on: device)
        try rename(entry, to: backupName, in: entry.parent, on: device)
        pass(.milliseconds(Int.random(in: 1..<20, using: &random)))
        try create(name, in: entry.parent, on: device)
        guard random.once(in: 2) else { return }
        let backup = try device.library.transactions.inspect {
            try device.library.namespace.resolve(backupName, in: entry.parent, $0)?.entry
        }
        if let backup { try remove(backup, on: device) }
    }

    private func trash(in entries: [Entry]) -> Entry? {
        entries.first { $0.kind == .folder && ScratchName.matchesFolder($0.filename) }
    }

    private func throwAway(_ entries: [Entry], on device: SimulatedDevice) throws(Refusal) {
        guard let trash = trash(in: entries) else {
            try makeFolder(".Trash-0", in: .local, on: device)
            return
        }
        if let entry = entries.filter({ $0.inode != trash.inode }).randomElement(using: &random) {
            try move(entry, on: device, entries, to: trash.inode)
        }
    }

    /// Records that an entry leaves the cloud, and becomes a file that is no document, with all that lies in it.
    func noteBecomingScratch(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        let inner = try device.library.transactions.inspect { try $0.descendants(of: entry.inode) }
        for entry in [entry] + (entry.kind == .folder ? inner : []) {
            if let id = entry.id { ledger.noteLeft(id) }
            // Its content, which may still have to come, stays in the container's history, and may come back as that of another document.
            if let content = localContent(of: entry.inode, on: device) { ledger.noteShared(content) }
            for content in contentsKnown(of: entry, on: device) { ledger.noteShared(content) }
            noteDeletion(of: entry, on: device, keepsContent: true)
        }
    }
}
