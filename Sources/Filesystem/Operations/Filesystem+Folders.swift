import CFuse
import Catalog
import Documents
import Glibc
import Library
import SystemPackage

/// opendir, readdir, readdirplus, releasedir, fsyncdir.
extension Filesystem {
    static func addFolders(to operations: inout fuse_lowlevel_ops) {
        operations.opendir = { request, number, _ in
            Request(request!).answer { () throws(Errno) in
                _ = try InodeNumber(folder: number)
                return .opened(handle: filesystem(of: request!).folderStreams.add(), direct: false)
            }
        }
        operations.readdir = { request, number, size, offset, info in
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).readFolder(number, info!.pointee.fh, request!, size, Int(offset), plus: false)
            }
        }
        operations.readdirplus = { request, number, size, offset, info in
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).readFolder(number, info!.pointee.fh, request!, size, Int(offset), plus: true)
            }
        }
        operations.releasedir = { request, _, info in
            Request(request!).answer { () throws(Errno) in
                filesystem(of: request!).folderStreams.remove(info!.pointee.fh)
                return .success
            }
        }
        operations.fsyncdir = { request, number, _, _ in
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).library.synchronizeFolder(InodeNumber(folder: number))
                return .success
            }
        }
    }

    /// Offsets count names: `.` is 1, `..` 2, then those of the snapshot. Reading from the start takes
    /// a new snapshot (rewinddir).
    private func readFolder(
        _ number: fuse_ino_t, _ handle: UInt64, _ request: fuse_req_t, _ size: Int, _ offset: Int, plus: Bool
    ) throws(Errno) -> Reply {
        let folder = try InodeNumber(folder: number)
        if offset == 0 || folderStreams[handle] == nil {
            let parent = try library.parent(of: folder)
            folderStreams[handle] = .init(
                names: try library.list(folder), parent: fuse_ino_t(parent.number))
        }
        guard let stream = folderStreams[handle] else { throw .badFileDescriptor }
        var page = FolderPage(request: request, size: size, plus: plus)
        for (position, dot) in [(0, (".", number)), (1, ("..", stream.parent))] where offset <= position {
            guard page.addDot(dot.0, number: dot.1, next: position + 1) else { return .bytes(page.bytes) }
        }
        try fill(&page, from: stream, at: max(0, offset - 2))
        return .bytes(page.bytes)
    }

    private func fill(_ page: inout FolderPage, from stream: FolderStreams.Stream, at start: Int) throws(Errno) {
        var index = start
        while index < stream.names.count {
            // Attributes of as many names as may fit, in one go.
            let chunk = stream.names[index..<min(index + FolderPage.namesAtOnce, stream.names.count)]
            let attributes: [FileAttributes?] =
                page.plus
                ? try library.attributesForListing(chunk.map(\.node)) : Array(repeating: nil, count: chunk.count)
            for (name, attributes) in zip(chunk, attributes) {
                // A name that went since the snapshot has nothing to say.
                if !page.plus || attributes != nil {
                    guard page.add(name, attributes, next: index + 3) else { return }
                }
                index += 1
            }
        }
    }
}

/// One answer to readdir: as many names as fit.
private struct FolderPage {
    static let namesAtOnce = 64

    let request: fuse_req_t
    let plus: Bool
    private(set) var bytes: [UInt8] = []
    private let size: Int

    init(request: fuse_req_t, size: Int, plus: Bool) {
        self.request = request
        self.size = size
        self.plus = plus
        bytes.reserveCapacity(size)
    }

    /// An inode number of 0 tells the kernel to make no entry of it.
    mutating func addDot(_ name: String, number: fuse_ino_t, next: Int) -> Bool {
        var parameters = fuse_entry_param()
        parameters.attr.st_ino = ino_t(number)
        parameters.attr.st_mode = S_IFDIR
        return append(name, &parameters, next)
    }

    mutating func add(_ name: ListedName, _ attributes: FileAttributes?, next: Int) -> Bool {
        var parameters = fuse_entry_param()
        if let attributes {
            parameters = fuse_entry_param(
                Resolved(node: name.node, attributes: attributes, isListedName: name.isMemorable))
        } else {
            parameters.attr.st_ino = ino_t(name.node.number)
            parameters.attr.st_mode = name.kind.fileType
        }
        return append(name.name, &parameters, next)
    }

    /// - Returns: false when it does not fit.
    private mutating func append(_ name: String, _ parameters: inout fuse_entry_param, _ next: Int) -> Bool {
        let start = bytes.count
        let room = size - start
        let needed =
            plus
            ? fuse_add_direntry_plus(request, nil, 0, name, &parameters, off_t(next))
            : fuse_add_direntry(request, nil, 0, name, &parameters.attr, off_t(next))
        guard needed <= room else { return false }
        bytes.append(contentsOf: repeatElement(0, count: needed))
        bytes.withUnsafeMutableBytes { buffer in
            let place = buffer.baseAddress!.advanced(by: start).assumingMemoryBound(to: CChar.self)
            if plus {
                _ = fuse_add_direntry_plus(request, place, needed, name, &parameters, off_t(next))
            } else {
                _ = fuse_add_direntry(request, place, needed, name, &parameters.attr, off_t(next))
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
