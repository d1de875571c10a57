import Backing
import Catalog
import Documents
import Glibc
import SystemPackage

extension Namespace {
    /// Whether a name could be a filename that was generated here or on another device.
    func couldHaveGenerated(_ name: DocumentName) -> Bool { configuration.filenames.couldHaveMade(name) }

    /// Carries out the choice of a filename.
    func setFilename(of entry: inout Entry, _ choice: FilenameChoice, _ transaction: Transaction) throws {
        switch choice {
        case .keep: return
        case .exactly(let filename):
            entry.filename = filename
            if entry.kind == .document { entry.hasGeneratedFilename = false }
        case .restored(let filename) where try isFree(filename, in: entry.parent, transaction):
            entry.filename = filename
            entry.hasGeneratedFilename = true
        case .restored, .generate:
            entry.filename = try newFilename(entry.name?.pathExtension ?? "", in: entry.parent, transaction)
            entry.hasGeneratedFilename = true
        }
    }

    private func isFree(_ filename: String, in folder: InodeNumber, _ rows: Rows) throws -> Bool {
        try !rows.isFilenameInUse(filename, in: folder) && !backing.folder(folder, rows).exists(filename)
    }

    /// A generated filename that no document on this device has.
    func newFilename(_ pathExtension: String, in folder: InodeNumber, _ transaction: Transaction) throws -> String {
        var random = surroundings.random()
        while true {
            let isSequential = configuration.filenames.convention == .sequential
            let number = isSequential ? Int(try transaction.next(.sequentialNumber)) : 0
            let filename = configuration.filenames.makeFilename(
                pathExtension: pathExtension, time: surroundings.localTime(surroundings.now()), number: number,
                random: &random)
            if try !transaction.isFilenameInUse(filename, in: folder) { return filename }
        }
    }

    /// A free filename for an entry that must give up its own: `NAME (DEVICE).EXT`.
    func distinctFilename(of entry: Entry, _ rows: Rows) throws -> String {
        let split = DocumentName(splitting: try EntryName(entry.filename))
        // Without its folder only the rows can tell whether a name is free.
        let directory = try backing.folderIfPresent(entry.parent, rows)
        var number = 1
        while true {
            let stem = DistinctName.make(
                split.displayName, device: device.name, number: number, pathExtension: split.pathExtension)
            let filename = DocumentName(storedDisplayName: stem, pathExtension: split.pathExtension).full
            if try rows.entry(in: entry.parent, filename: filename) == nil, try directory?.exists(filename) != true {
                return filename
            }
            number += 1
        }
    }

    /// The display name of a document to which no person has given one.
    func automaticName(of entry: Entry, content: [UInt8]) -> DocumentName {
        AutomaticName.make(
            content: content, filename: entry.filename, pathExtension: entry.name?.pathExtension ?? "")
    }
}
