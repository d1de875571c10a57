import CFuse
import Documents
import Glibc
import Library
import SystemPackage

/// opendir, readdir, readdirplus, releasedir, fsyncdir.
extension Filesystem {
    static func addFolders(to operations: inout fuse_lowlevel_ops) {
        operations.opendir = { request, number, _ in
            Request(request, "opendir", number).answer { filesystem throws(Refusal) in
                .opened(try filesystem.openFolder(number))
            }
        }
        operations.readdir = { request, number, size, offset, info in
            let request = Request(request, "readdir", number)
            request.answer { filesystem throws(Refusal) in
                try filesystem.readFolder(number, info!.pointee.fh, request, size, Int(offset), plus: false)
            }
        }
        operations.readdirplus = { request, number, size, offset, info in
            let request = Request(request, "readdirplus", number)
            request.answer { filesystem throws(Refusal) in
                try filesystem.readFolder(number, info!.pointee.fh, request, size, Int(offset), plus: true)
            }
        }
        operations.releasedir = { request, number, info in
            Request(request, "releasedir", number).answer { filesystem throws(Refusal) in
                filesystem.closeFolder(info!.pointee.fh)
                return .success
            }
        }
        operations.fsyncdir = { request, number, _, _ in
            Request(request, "fsyncdir", number).answer { filesystem throws(Refusal) in
                switch Node(number: number) {
                case .versions, .folderInTrash: return .success
                default: break
                }
                try filesystem.library.synchronizeFolder(InodeNumber(folder: number))
                return .success
            }
        }
    }

    private func openFolder(_ number: fuse_ino_t) throws(Refusal) -> OpenReply {
        // The kernel keeps no listing of versions or of the trash: it asks each time.
        let isVirtual =
            switch Node(number: number) {
            case .versions, .folderInTrash: true
            default: false
            }
        let folder = isVirtual ? nil : try InodeNumber(folder: number)
        // The kernel may answer the reader by itself.
        if let folder { try library.lookForRemoteChanges(in: folder) }
        // The listing of a sorted folder changes with sizes and times as well: none is kept.
        let kept = try folder.flatMap { folder throws(Refusal) in try library.isListingStable(of: folder) ? folder : nil
        }
        let (stream, permission) = folderStreams.open(kept)
        return OpenReply(handle: stream, content: .listing(permission)) { [self] in closeFolder(stream) }
    }

    private func closeFolder(_ stream: UInt64) {
        if let outdated = folderStreams.close(stream) { caches?.forgetListing(of: outdated) }
    }

    /// Offsets count names: `.` is 1, `..` 2, then those of the snapshot. Reading from the start makes a new snapshot
    /// (rewinddir); reading from a later offset continues with the old one.
    private func readFolder(
        _ number: fuse_ino_t, _ handle: UInt64, _ request: Request, _ size: Int, _ offset: Int, plus: Bool
    ) throws(Refusal) -> Reply {
        if offset == 0 || folderStreams[handle] == nil {
            folderStreams[handle] = try snapshot(of: Node(number: number))
        }
        guard let snapshot = folderStreams[handle] else { throw .noSuchHandle }
        var page = FolderPage(request: request, size: size, plus: plus)
        for (position, dot) in [(0, (".", number)), (1, ("..", snapshot.parent))] where offset <= position {
            guard page.addDot(dot.0, number: dot.1, next: position + 1) else { return .bytes(page.bytes) }
        }
        try fill(&page, from: snapshot, of: InodeNumber(Int64(number)), at: max(0, offset - 2))
        if page.bytes.isEmpty { folderStreams.reachEnd(handle) }
        return .bytes(page.bytes)
    }

    private func snapshot(of folder: Node) throws(Refusal) -> FolderStreams.Snapshot {
        if case .versions(let versions, let inode) = folder {
            let parent = try library.parent(of: inode)
            return .init(names: try library.list(versions, of: inode), parent: fuse_ino_t(parent.number))
        }
        if case .folderInTrash(let trash) = folder {
            let parent = library.parent(of: trash).map { Node.folderInTrash($0).number } ?? fuse_ino_t(FUSE_ROOT_ID)
            return .init(names: try library.list(trash), parent: parent)
        }
        let inode = try InodeNumber(folder: folder.number)
        return .init(names: try library.list(inode), parent: fuse_ino_t(try library.parent(of: inode).number))
    }

    private func fill(
        _ page: inout FolderPage, from snapshot: FolderStreams.Snapshot, of folder: InodeNumber, at start: Int
    ) throws(Refusal) {
        var index = start
        while index < snapshot.names.count {
            // As many names as fit, in one go: of the others nothing is asked.
            let chunk = snapshot.names[index...].prefix(page.countFitting(snapshot.names[index...]))
            if chunk.isEmpty { return }
            let listed = page.plus ? try library.listed(chunk, in: folder) : chunk.map { _ in .name }
            for (name, listed) in zip(chunk, listed) {
                let fits =
                    switch listed {
                    case .entry(let resolved): page.add(name.name, resolved, next: index + 3)
                    case .name: page.addName(name, next: index + 3)
                    case .gone: true
                    }
                guard fits else { return }
                index += 1
            }
        }
    }
}

/// One answer to readdir: as many names as fit.
private struct FolderPage {
    let request: Request
    let plus: Bool
    private(set) var bytes: [UInt8] = []
    private let size: Int

    init(request: Request, size: Int, plus: Bool) {
        self.request = request
        self.size = size
        self.plus = plus
        bytes.reserveCapacity(size)
    }

    /// How many of some names fit, by the kernel's layout: what precedes a name, and the name in whole words.
    func countFitting(_ names: ArraySlice<ListedName>) -> Int {
        var room = size - bytes.count
        let header = plus ? MemoryLayout<fuse_direntplus>.size : MemoryLayout<fuse_dirent>.size
        return names.prefix { name in
            room -= header + (name.name.utf8.count + 7) / 8 * 8
            return room >= 0
        }.count
    }

    mutating func addDot(_ name: String, number: fuse_ino_t, next: Int) -> Bool {
        addName(name, number, S_IFDIR, next)
    }

    /// A name and a type, without attributes.
    mutating func addName(_ name: ListedName, next: Int) -> Bool {
        addName(name.name, name.node.number, name.kind.fileType, next)
    }

    mutating func add(_ name: String, _ resolved: Resolved, next: Int) -> Bool {
        var parameters = fuse_entry_param(resolved, in: request.filesystem)
        return append(name, &parameters, next)
    }

    /// The node that the kernel would remember stays 0, which tells it to make no entry of the name.
    private mutating func addName(_ name: String, _ number: fuse_ino_t, _ type: mode_t, _ next: Int) -> Bool {
        var parameters = fuse_entry_param()
        parameters.attr.st_ino = ino_t(number)
        parameters.attr.st_mode = type
        return append(name, &parameters, next)
    }

    /// - Returns: false when it does not fit.
    private mutating func append(_ name: String, _ parameters: inout fuse_entry_param, _ next: Int) -> Bool {
        let start = bytes.count
        let room = size - start
        let needed =
            plus
            ? fuse_add_direntry_plus(request.pointer, nil, 0, name, &parameters, off_t(next))
            : fuse_add_direntry(request.pointer, nil, 0, name, &parameters.attr, off_t(next))
        guard needed <= room else { return false }
        bytes.append(contentsOf: repeatElement(0, count: needed))
        bytes.withUnsafeMutableBytes { buffer in
            let slot = buffer.baseAddress!.advanced(by: start).assumingMemoryBound(to: CChar.self)
            if plus {
                _ = fuse_add_direntry_plus(request.pointer, slot, needed, name, &parameters, off_t(next))
            } else {
                _ = fuse_add_direntry(request.pointer, slot, needed, name, &parameters.attr, off_t(next))
            }
        }
        return true
    }
}

extension EntryKind {
    fileprivate var fileType: mode_t {
        switch self {
        case .folder: S_IFDIR
        case .document, .scratch: S_IFREG
        case .symbolicLink: S_IFLNK
        }
    }
}
