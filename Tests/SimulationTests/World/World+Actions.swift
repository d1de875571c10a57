import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Replication
import SystemPackage

/// The actions of people and programs.
extension World {
    static let names = ["a.txt", "b.txt", "Plan.md", "Untitled.txt", ".hidden", "no extension"]
    static let folderNames = ["Work", "Photos", ".config"]

    func act(on device: SimulatedDevice) throws {
        // As where there are more folders than directories can be open, or none was used since a restart.
        if steps % 3 == 0 { device.library.comparison.backing.forgetFolders() }
        do throws(Refusal) {
            try perform(on: device)
        } catch {
            let expected: [Errno] = [
                .noSuchFileOrDirectory, .fileExists, .noRouteToHost, .directoryNotEmpty, .invalidArgument,
                .resourceBusy,
                .staleNFSFileHandle, .noData, .resourceTemporarilyUnavailable, .isDirectory, .notDirectory,
            ]
            trace("  \(error)")
            if !expected.contains(error.errno) { ledger.fail("\(device.place.name): an action failed: \(error)") }
        }
    }

    private func perform(on device: SimulatedDevice) throws(Refusal) {
        let entries = try device.library.transactions.inspect { rows in
            try rows.descendants(of: .cloud) + (try rows.descendants(of: .local))
        }
        if worksWithFolders, random.once(in: 2) {
            try actOnFolders(entries, on: device)
            return
        }
        if hasOnePerson, random.once(in: 2) {
            try reuseName(entries, on: device)
            return
        }
        if worksWithScratch, random.once(in: 2) {
            try actOnScratch(entries, on: device)
            return
        }
        let documents = entries.filter { $0.kind == .document }
        // All devices work on the same few documents, so that they conflict.
        let any = random.once(in: 2) ? documents.first : documents.randomElement(using: &random)
        let inConflict = documents.filter { $0.conflicts > 0 }
        if random.once(in: 3), let entry = inConflict.randomElement(using: &random) {
            try resolve(entry, on: device)
            return
        }
        if random.once(in: 6), let entry = inConflict.randomElement(using: &random),
            let other = documents.filter({ $0.parent == entry.parent && $0.inode != entry.inode }).randomElement(
                using: &random)
        {
            trace("\(device.place.name) renames \(Self.text(entry)), in conflict, over \(Self.text(other))")
            try rename(entry, to: other.filename, in: entry.parent, on: device)
            return
        }
        if device.mayUndoRemoval, random.once(in: 2) {
            device.mayUndoRemoval = false
            try perform(.undo, on: device)
            return
        }
        let held = entries.first { entry in device.writers.contains { $0.inode == entry.inode } }
        if let held, random.once(in: 8) {
            // A person thinks better of it, while the program goes on.
            try remove(held, on: device)
            device.mayUndoRemoval = true
            ledger.count("removedWhileOpen")
            return
        }
        switch Int.random(in: 0..<48, using: &random) {
        case 0..<3: try create(on: device, entries)
        case 3..<12, 35..<37: if let any { try save(any, on: device) }
        case 12..<15: if let any { try append(to: any, on: device) }
        case 15..<17: if let any { try rename(any, on: device) }
        case 17..<20: if let entry = entries.randomElement(using: &random) { try move(entry, on: device, entries) }
        case 20..<22: try makeFolder(on: device, entries)
        case 22..<23: try makeLink(on: device, entries)
        case 23..<25: if let any { try remove(any, on: device) }
        case 25..<26:
            if let folder = entries.filter({ $0.kind == .folder }).randomElement(using: &random) {
                try removeAll(folder, on: device)
            }
        case 26..<28: if let any { read(any, on: device) }
        case 28..<29: if let any { try truncate(any, on: device) }
        case 29..<31: if let any { try replace(any, on: device) }
        case 31..<33: if let any { try hold(any, on: device) }
        case 37..<39: if let any { try reorder(any, on: device, entries) }
        case 39..<41: if let any { try evict(any, on: device) }
        case 41..<42: if let entry = entries.randomElement(using: &random) { try keep(entry, on: device) }
        case 42..<43: if let any { try download(any, on: device) }
        case 43..<46: try perform(.undo, on: device)
        case 46..<47: try perform(.redo, on: device)
        case 47..<48: if let any { try saveAgain(any, on: device) }
        default: try goOn(on: device)
        }
    }

    /// The documents that all devices have at the start.
    func found() throws {
        for name in ["a.txt", "Plan.md"] { try create(name, in: .cloud, on: devices[0]) }
        if hasOnePerson {
            try makeFolder("Work", in: .cloud, on: devices[0])
            let work = try devices[0].library.transactions.inspect { try $0.entry(in: .cloud, filename: "Work") }
            if let work { try create("b.txt", in: work.inode, on: devices[0]) }
        }
        pass(.seconds(1))
        for _ in 0..<2 { synchronizeAll() }
    }

    private func folder(_ entries: [Entry]) -> InodeNumber {
        let folders = entries.filter { $0.kind == .folder }.map(\.inode)
        return random.once(in: 2) ? .cloud : (folders + [.local, .cloud]).randomElement(using: &random)!
    }

    static var creator: Creator { Creator(owner: geteuid(), group: getegid(), mode: 0o644) }

    // MARK: Making

    private func create(on device: SimulatedDevice, _ entries: [Entry]) throws(Refusal) {
        let name = Self.names.randomElement(using: &random)!
        try create(name, in: folder(entries), on: device)
    }

    func create(_ name: String, in parent: InodeNumber, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) creates \(name) in \(parent)")
        let (resolved, opening) = try device.library.create(
            Array(name.utf8), in: parent, by: Self.creator, flags: O_WRONLY | O_EXCL)
        guard case .opened(let file) = opening, case .entry(let inode) = resolved.node else { throw .contentNotHere }
        let number = file.number
        try prepareToWrite(number, on: device)
        ledger.noteTyped(name)
        try write(newContent(), to: number, on: device)
        try close(number, inode, on: device)
    }

    private func makeFolder(on device: SimulatedDevice, _ entries: [Entry]) throws(Refusal) {
        let name = Self.folderNames.randomElement(using: &random)!
        try makeFolder(name, in: folder(entries), on: device)
    }

    func makeFolder(_ name: String, in parent: InodeNumber, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) makes the folder \(name) in \(parent)")
        _ = try device.library.makeFolder(
            Array(name.utf8), in: parent, by: Creator(owner: geteuid(), group: getegid(), mode: 0o755))
        ledger.noteTyped(name)
    }

    private func makeLink(on device: SimulatedDevice, _ entries: [Entry]) throws(Refusal) {
        let parent = folder(entries)
        trace("\(device.place.name) makes a link in \(parent)")
        _ = try device.library.makeSymbolicLink(
            Array("link".utf8), to: Array("target".utf8), in: parent, by: Self.creator)
        ledger.noteTyped("link")
    }

    // MARK: Writing

    private func save(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) saves \(Self.text(entry))")
        noteOverwriting(entry, on: device)
        guard let number = try openToWrite(entry.inode, flags: O_WRONLY | O_TRUNC, on: device) else { return }
        try write(newContent(), to: number, on: device)
        try close(number, entry.inode, on: device)
    }

    /// Appends to documents whose content is here; otherwise the program would wait, like a reader.
    private func append(to entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        guard let number = try openToWrite(entry.inode, flags: O_WRONLY, on: device) else {
            read(entry, on: device)
            return
        }
        trace("\(device.place.name) appends to \(Self.text(entry))")
        noteOverwriting(entry, on: device)
        try append(newContent(), to: number, on: device)
        try close(number, entry.inode, on: device)
    }

    /// Writes nothing but what the document holds.
    private func saveAgain(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        guard let number = try openToWrite(entry.inode, flags: O_WRONLY, on: device) else { return }
        trace("\(device.place.name) saves \(Self.text(entry)) with the same content")
        try append([], to: number, on: device)
        // Where another device has removed the document, this is an edit that brings it back.
        noteSavingAgain(number, on: device)
        try close(number, entry.inode, on: device)
    }

    private func truncate(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        let size = random.once(in: 2) ? 0 : Int64.random(in: 0..<9, using: &random)
        if try device.library.mustArriveToTruncate(entry.inode, to: size) { return }
        trace("\(device.place.name) truncates \(Self.text(entry)) to \(size)")
        noteOverwriting(entry, on: device)
        var changes = AttributeChanges()
        changes.size = size
        _ = try device.library.setAttributes(of: entry.inode, changes)
        var time = AttributeChanges()
        time.modified = .at(surroundings.clock.wallTime(skew: device.place.skew))
        _ = try device.library.setAttributes(of: entry.inode, time)
        guard let content = localContent(of: entry.inode, on: device) else { return }
        let isWritten = device.writers.contains { $0.inode == entry.inode }
        if isWritten { ledger.noteContent(content) } else { ledger.noteSave(content, by: device.index) }
    }

    /// Saves by renaming a new file over the old one.
    private func replace(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        if device.writers.contains(where: { $0.inode == entry.inode }) { return }
        trace("\(device.place.name) saves \(Self.text(entry)) by renaming")
        let scratch = Array(".goutputstream-\(steps)".utf8)
        let (_, opening) = try device.library.create(
            scratch, in: entry.parent, by: Self.creator, flags: O_WRONLY | O_EXCL)
        guard case .opened(let file) = opening else { throw .contentNotHere }
        let number = file.number
        try prepareToWrite(number, on: device)
        let content = newContent()
        try write(content, to: number, on: device)
        device.library.close(number)
        noteOverwriting(entry, on: device)
        try device.library.rename(
            scratch, in: entry.parent, to: Array(entry.filename.utf8), in: entry.parent, options: [])
        ledger.noteSave(contentHash(content), by: device.index)
    }

    private func hold(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        guard device.writers.count < 2, let number = try openToWrite(entry.inode, flags: O_RDWR, on: device) else {
            return
        }
        trace("\(device.place.name) opens \(Self.text(entry)) for writing")
        device.writers.append(.init(handle: number, inode: entry.inode, id: entry.id))
    }

    /// A program with an open document writes more, or closes it.
    private func goOn(on device: SimulatedDevice) throws(Refusal) {
        guard let index = device.writers.indices.randomElement(using: &random) else { return }
        let writer = device.writers[index]
        if random.once(in: 2) {
            trace("\(device.place.name) goes on writing \(writer.inode)")
            noteOverwriting(handle: writer.handle, on: device)
            try append(newContent(), to: writer.handle, on: device)
            noteContent(of: writer.handle, on: device)
        } else {
            trace("\(device.place.name) closes \(writer.inode)")
            noteClosing(writer, on: device)
            device.writers.remove(at: index)
            device.library.close(writer.handle)
        }
    }

    // MARK: Names and places

    private func rename(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        let name = Self.names.randomElement(using: &random)!
        trace("\(device.place.name) renames \(Self.text(entry)) to \(name)")
        try rename(entry, to: name, in: entry.parent, on: device)
    }

    func rename(_ entry: Entry, to name: String, in parent: InodeNumber, on device: SimulatedDevice) throws(Refusal) {
        let target = try device.library.transactions.inspect {
            try device.library.namespace.resolve(name, in: parent, $0)?.entry
        }
        if let target, device.writers.contains(where: { $0.inode == target.inode || $0.inode == entry.inode }) {
            return
        }
        ledger.noteTyped(name)
        if let target, target.inode != entry.inode {
            if target.kind == .document, target.location == entry.location { noteBequest(of: entry, on: device) }
            noteDeletion(of: target, on: device)
            if let content = localContent(of: entry.inode, on: device) { ledger.noteShared(content) }
            noteDeletion(of: entry, on: device, keepsContent: true)
        }
        if try becomesScratch(entry, as: name, in: parent, on: device) { try noteBecomingScratch(entry, on: device) }
        let ending = target == nil && entry.kind == .document ? ending(of: entry, on: device) : nil
        try device.library.rename(
            Array(entry.filename.utf8), in: entry.parent, to: Array(name.utf8), in: parent, options: [])
        // It may continue the document that was removed from there a moment ago.
        if let ending, let now = try device.library.transactions.inspect({ try $0.entry(entry.inode) }),
            now.kind == .document, now.id != entry.id
        {
            note(ending)
        }
    }

    private func becomesScratch(
        _ entry: Entry, as name: String, in folder: InodeNumber, on device: SimulatedDevice
    ) throws(Refusal) -> Bool {
        let isInTrash = try device.library.transactions.inspect {
            try $0.entry(folder)?.namingContext.isScratch == true
        }
        return isInTrash
            || (entry.kind == .folder ? ScratchName.matchesFolder(name) : ScratchName.matches(name))
    }

    func move(
        _ entry: Entry, on device: SimulatedDevice, _ entries: [Entry], to folder: InodeNumber? = nil
    ) throws(Refusal) {
        let parent = folder ?? self.folder(entries)
        if parent == entry.parent { return }
        trace("\(device.place.name) moves \(Self.text(entry)) to \(parent)")
        let container = try device.library.transactions.inspect { try $0.entry(parent) }?.location
        if entry.location == .cloud, container == .local {
            let inner = try device.library.transactions.inspect { try $0.descendants(of: entry.inode) }
            for entry in [entry] + (entry.kind == .folder ? inner : []) {
                if let id = entry.id { ledger.noteLeft(id) }
                noteDeletion(of: entry, on: device, keepsContent: true)
            }
        }
        let name = random.once(in: 2) ? entry.name?.full ?? entry.filename : entry.filename
        try rename(entry, to: name, in: parent, on: device)
    }

    /// In most worlds folders are few, and two devices hardly ever move the same ones at once.
    private func actOnFolders(_ entries: [Entry], on device: SimulatedDevice) throws(Refusal) {
        let folders = entries.filter { $0.kind == .folder }
        guard let folder = folders.randomElement(using: &random), folders.count > 3 || !random.once(in: 2) else {
            try makeFolder(on: device, entries)
            return
        }
        if random.once(in: 8) {
            try removeAll(folder, on: device)
        } else {
            // Often into another one, which a device may be moving into this one.
            let others = folders.filter { $0.inode != folder.inode && $0.location == folder.location }
            let target = random.once(in: 3) ? nil : others.randomElement(using: &random)?.inode
            try move(folder, on: device, entries, to: target)
        }
        // Another one gets its name at once.
        if random.once(in: 3), Self.folderNames.contains(folder.filename) {
            try makeFolder(folder.filename, in: folder.parent, on: device)
        }
    }

    // MARK: Order

    /// Moves an entry in the order of its folder, or writes a few names to the folder's `.order`.
    private func reorder(_ entry: Entry, on device: SimulatedDevice, _ entries: [Entry]) throws(Refusal) {
        let others = entries.filter { $0.parent == entry.parent && $0.inode != entry.inode }
        guard random.once(in: 2) else {
            let names = ([entry] + others.shuffled(using: &random).prefix(2)).shuffled(using: &random).map(\.filename)
            trace("\(device.place.name) orders \(entry.parent) by \(names)")
            try device.library.reorder(entry.parent, by: Array(OrderText.text(names).utf8))
            return
        }
        let target: OrderTarget =
            if random.once(in: 2), let other = others.randomElement(using: &random) {
                .before(other.filename)
            } else {
                .to(Int.random(in: -1..<6, using: &random))
            }
        trace("\(device.place.name) moves \(Self.text(entry)) \(target.text)")
        try device.library.setExtendedAttribute(
            "user.document.order", to: Array(target.text.utf8), of: .entry(entry.inode), .either)
    }

    // MARK: Removing

    func remove(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) removes \(Self.text(entry))")
        noteDeletion(of: entry, on: device)
        try device.library.remove(Array(entry.filename.utf8), in: entry.parent)
    }

    /// `rm -r`
    func removeAll(_ folder: Entry, on device: SimulatedDevice) throws(Refusal) {
        trace("\(device.place.name) removes the folder \(folder.filename)")
        for entry in try device.library.transactions.inspect({ try $0.descendants(of: folder.inode) }).reversed() {
            if entry.kind == .folder {
                try device.library.removeFolder(Array(entry.filename.utf8), in: entry.parent)
            } else {
                noteDeletion(of: entry, on: device)
                try device.library.remove(Array(entry.filename.utf8), in: entry.parent)
            }
        }
        try device.library.removeFolder(Array(folder.filename.utf8), in: folder.parent)
    }

    // MARK: Reading and choosing

    private func read(_ entry: Entry, on device: SimulatedDevice) {
        trace("\(device.place.name) reads \(Self.text(entry))")
        device.life.startReading(entry.inode)
    }

    private func resolve(_ entry: Entry, on device: SimulatedDevice) throws(Refusal) {
        let versions = try device.library.list(.conflicts, of: entry.inode)
        guard let version = versions.randomElement(using: &random) else { return }
        let name = Array(version.name.utf8)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            trace("\(device.place.name) discards \(version.name) of \(Self.text(entry))")
            try device.library.discardVersion(name, in: .conflicts, of: entry.inode)
        case 1:
            trace("\(device.place.name) chooses \(version.name) of \(Self.text(entry))")
            noteOverwriting(entry, on: device)
            noteGivenUp(entry, on: device)
            try device.library.chooseVersion(
                name, in: .conflicts, of: entry.inode, as: Array(entry.filename.utf8), in: entry.parent, options: [])
        default:
            trace("\(device.place.name) keeps \(Self.text(entry))")
            try device.library.removeFolder(Array((entry.filename + ".conflicts").utf8), in: entry.parent)
        }
        ledger.count("resolution")
        if random.once(in: 3) { try reconsider(on: device) }
    }

    /// The person takes the choice back.
    private func reconsider(on device: SimulatedDevice) throws(Refusal) {
        try perform(.undo, on: device)
        ledger.count("reconsidered")
    }

    static func text(_ entry: Entry) -> String { "\(entry.inode) '\(entry.name?.full ?? entry.filename)'" }
}
