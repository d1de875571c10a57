import Catalog
import Documents
import Glibc
@testable import Library
import Testing

/// Carrying out.
extension SmallWorlds.LivingWorld {
    func carryOut(_ act: Act, _ text: String, _ side: Side) async throws {
        let device = side.device
        switch act {
        case .create, .createAgain: try device.create(Path.document.name, text)
        case .save, .saveAgain: try await save(.document, text, on: device)
        case .saveAway: if let away = side.away { try await save(away, text, on: device) }
        case .saveByScratch:
            try device.create(Path.temporaryScratch.name, text)
            try move(.temporaryScratch, to: .document, on: device)
        case .saveByDocument:
            try device.create(Path.temporaryDocument.name, text)
            try move(.temporaryDocument, to: .document, on: device)
        case .rename(let target): try move(.document, to: target.path, on: device)
        case .renameBack: if let away = side.away { try move(away, to: .document, on: device) }
        case .remove: try remove(.document, on: device)
        case .removeAway: if let away = side.away { try remove(away, on: device) }
        case .exchange: try exchange(with: side.away ?? Target.other.path, on: device)
        case .removeFolder: try removeFolder(on: device)
        case .openToWrite: side.opened = try await device.open(Path.document.name, O_RDWR)
        case .writeOpened:
            if let opened = side.opened { try device.write(text, to: opened) }
            closeOpened(side)
        case .keep: try device.set("user.document.keep", "always", Path.document.name)
        case .entitle: try device.set("user.displayName", "H", Path.document.name)
        case .evict: try device.evict(Path.document.name)
        case .undo: try device.library.perform(.undo)
        case .redo: try device.library.perform(.redo)
        case .restoreVersion:
            try device.create(Path.temporaryVersion.name, text)
            try move(.temporaryVersion, to: .document, on: device)
        case .restoreTrashed:
            if let key = try trashed(on: device)?.source.key { try device.library.restoreFromTrash(key) }
        case .chooseOther:
            try device.library.chooseVersion(
                version(in: .conflicts, device) ?? [], in: .conflicts, of: device.inode(Path.document.name),
                as: Array(Path.document.name.utf8), in: .cloud, options: [])
        case .discardOther:
            try device.library.discardVersion(
                version(in: .conflicts, device) ?? [], in: .conflicts, of: device.inode(Path.document.name))
        case .keepCurrent:
            try device.library.removeFolder(Array("\(Path.document.name).conflicts".utf8), in: .cloud)
        }
    }

    /// What was removed last.
    func trashed(on device: TestDevice) throws -> Trashed? {
        try device.library.transactions.inspect { try device.library.undoing.trashed($0) }.first
    }

    func folder(_ path: Path, on device: TestDevice) throws -> InodeNumber {
        guard let folder = path.place.inode(on: device) else { throw Fault("an error", "no folder for \(path)") }
        return folder
    }

    func save(_ path: Path, _ text: String, on device: TestDevice) async throws {
        try await device.save(path.name, text, in: folder(path, on: device))
    }

    func move(_ source: Path, to path: Path, on device: TestDevice) throws {
        try device.rename(
            source.name, in: folder(source, on: device), to: path.name, in: folder(path, on: device))
    }

    func exchange(with path: Path, on device: TestDevice) throws {
        let document = Path.document
        try device.rename(
            document.name, in: folder(document, on: device), to: path.name, in: folder(path, on: device), .exchange)
    }

    /// By one program, so that it is one action.
    func removeFolder(on device: TestDevice) throws {
        let program = Caller(thread: 7)
        let folder = try device.inode("D")
        for item in try items(on: device) where item.path.place == .folder {
            try device.library.remove(Array(item.entry.filename.utf8), in: folder, by: program)
        }
        try device.library.removeFolder(Array("D".utf8), in: .cloud, by: program)
    }

    func remove(_ path: Path, on device: TestDevice) throws {
        try device.remove(path.name, in: folder(path, on: device))
    }

    func lines(of act: Act, _ text: String, _ side: Side) -> [String] {
        let top = root(side.device)
        let document = "\(top)/\(Path.document)"
        let away = "\(top)/\(side.away ?? Path.document)"
        func temporary(_ path: Path) -> [String] {
            ["echo '\(text)' > \(top)/\(path)", "mv \(top)/\(path) \(document)"]
        }
        return switch act {
        case .create, .save, .saveAgain: ["echo '\(text)' > \(document)"]
        case .saveAway: ["echo '\(text)' > \(away)"]
        case .saveByScratch: temporary(.temporaryScratch)
        case .saveByDocument: temporary(.temporaryDocument)
        case .rename(let target): ["mv \(document) \(top)/\(target.path)"]
        case .renameBack: ["mv \(away) \(document)"]
        case .remove: ["rm \(document)"]
        case .removeAway: ["rm \(away)"]
        case .createAgain: ["(set -C; echo '\(text)' > \(document))"]
        case .exchange: ["exch \(document) \(top)/\(side.away ?? Target.other.path)"]
        case .removeFolder: ["rm -r \(top)/\(Place.folder.rawValue)"]
        case .openToWrite: ["exec 3<>\(document)"]
        case .writeOpened: ["echo '\(text)' >&3; exec 3>&-"]
        case .keep: ["docfs keep \(document)"]
        case .entitle: ["setfattr -n user.displayName -v H \(document)"]
        case .evict: ["docfs evict \(document)"]
        case .undo: ["docfs undo \(top)"]
        case .redo: ["docfs redo \(top)"]
        case .restoreVersion: ["cp $(ls -d \(document).versions/* | head -n 1) \(document)  # \(text)"]
        case .restoreTrashed: ["docfs trash restore NAME  # \(text)"]
        case .chooseOther: ["mv $(ls -d \(document).conflicts/* | head -n 1) \(document)  # \(text)"]
        case .discardOther: ["rm $(ls -d \(document).conflicts/* | head -n 1)  # \(text)"]
        case .keepCurrent: ["rmdir \(document).conflicts"]
        }
    }
}
