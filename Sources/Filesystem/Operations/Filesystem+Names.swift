import CFuse
import CLinux
import Documents
import Glibc
import Library
import SystemPackage

/// lookup, mknod, mkdir, symlink, unlink, rmdir, rename, link, readlink.
extension Filesystem {
    static func addNames(to operations: inout fuse_lowlevel_ops) {
        operations.lookup = { request, parent, name in
            let request = Request(request, "lookup", parent, name)
            request.answer { filesystem throws(Refusal) in
                try filesystem.lookup(parent, bytes(name), request)
            }
        }
        // An inode is a row of the catalog, which does not depend on the kernel's memory: lookups are not counted. A file without
        // a name cannot be looked up again, so the first forget of it is also the last.
        operations.forget = { request, number, _ in
            Filesystem.behind(fuse_req_userdata(request)).forget(number)
            fuse_reply_none(request)
        }
        operations.forget_multi = { request, count, forgotten in
            let filesystem = Filesystem.behind(fuse_req_userdata(request))
            for index in 0..<count { filesystem.forget(forgotten![index].ino) }
            fuse_reply_none(request)
        }
        operations.mknod = { request, parent, name, mode, _ in
            let request = Request(request, "mknod", parent, name)
            request.answer { filesystem throws(Refusal) in
                try filesystem.makeNode(parent, bytes(name), mode, request)
            }
        }
        operations.mkdir = { request, parent, name, mode in
            let request = Request(request, "mkdir", parent, name)
            request.answer { filesystem throws(Refusal) in
                .entry(
                    try filesystem.library.makeFolder(
                        bytes(name), in: InodeNumber(folder: parent), by: request.creator(mode: mode)))
            }
        }
        operations.symlink = { request, target, parent, name in
            let request = Request(request, "symlink", parent, name)
            request.answer { filesystem throws(Refusal) in
                .entry(
                    try filesystem.library.makeSymbolicLink(
                        bytes(name), to: Array(bytes(target)), in: InodeNumber(folder: parent),
                        by: request.creator(mode: 0o777)))
            }
        }
        operations.readlink = { request, number in
            Request(request, "readlink", number).answer { filesystem throws(Refusal) in
                .link(try filesystem.library.readSymbolicLink(InodeNumber(entry: number)))
            }
        }
        operations.unlink = { request, parent, name in
            let request = Request(request, "unlink", parent, name)
            request.answer { filesystem throws(Refusal) in
                try filesystem.remove(bytes(name), from: Node(number: parent), by: request.caller)
                return .success
            }
        }
        operations.rmdir = { request, parent, name in
            let request = Request(request, "rmdir", parent, name)
            request.answer { filesystem throws(Refusal) in
                try filesystem.removeFolder(bytes(name), from: Node(number: parent), by: request.caller)
                return .success
            }
        }
        operations.rename = { request, parent, name, newParent, newName, flags in
            let request = Request(request, "rename", parent, name, to: newParent, newName)
            request.answer { filesystem throws(Refusal) in
                try filesystem.rename(
                    bytes(name), in: Node(number: parent), to: bytes(newName), in: Node(number: newParent),
                    RenameOptions(flags: flags), by: request.caller)
                return .success
            }
        }
        operations.link = { request, number, newParent, newName in
            Request(request, "link", number, nil, to: newParent, newName).answer { _ throws(Refusal) in
                throw .notRegularFile
            }
        }
    }

    private func forget(_ number: fuse_ino_t) {
        switch Node(number: number) {
        case .entry(let inode): library.forget(inode)
        case .folderInTrash(let trash): library.forget(trash)
        default: break
        }
    }

    private func lookup(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ request: Request
    ) throws(Refusal) -> Reply {
        if case .versions(let folder, let inode) = Node(number: parent) {
            return .entry(try library.lookup(name, in: folder, of: inode))
        }
        if case .folderInTrash(let trash) = Node(number: parent) { return .entry(try library.lookup(name, in: trash)) }
        let folder = try InodeNumber(folder: parent)
        if let document = ReservedStateName.stem(of: name) {
            return .entry(try library.lookupState(of: document, in: folder) { request.purpose })
        }
        if folder == .documents, let report = ReservedReport(name: name) {
            return .entry(try library.lookupReport(report))
        }
        if folder == .root, name.elementsEqual(Library.trashDirectoryName.utf8) {
            return .entry(try library.lookupTrashDirectory())
        }
        return .entry(try library.lookup(name, in: folder) { request.purpose })
    }

    private func remove(
        _ name: UnsafeBufferPointer<UInt8>, from folder: Node, by caller: Caller
    ) throws(Refusal) {
        switch folder {
        case .versions(let folder, let inode): try library.discardVersion(name, in: folder, of: inode, by: caller)
        case .folderInTrash(let trash): try library.removeTrashed(name, in: trash)
        default: try library.remove(name, in: InodeNumber(folder: folder.number), by: caller)
        }
    }

    private func removeFolder(
        _ name: UnsafeBufferPointer<UInt8>, from folder: Node, by caller: Caller
    ) throws(Refusal) {
        if case .folderInTrash(let trash) = folder { return try library.removeTrashedFolder(name, in: trash) }
        try library.removeFolder(name, in: InodeNumber(folder: folder.number), by: caller)
    }

    private func rename(
        _ name: UnsafeBufferPointer<UInt8>, in folder: Node, to newName: UnsafeBufferPointer<UInt8>,
        in newFolder: Node, _ options: RenameOptions, by caller: Caller
    ) throws(Refusal) {
        if case .folderInTrash(let trash) = newFolder {
            if options.contains(.exchange) { throw .virtualName }
            if case .folderInTrash(let source) = folder {
                return try library.moveTrashed(name, in: source, to: trash)
            }
            try library.throwAway(name, in: InodeNumber(folder: folder.number), as: newName, in: trash, by: caller)
            // The kernel takes what stood at the former name along; the file in the trash is another one.
            caches?.nameChanged(
                String(decoding: newName, as: UTF8.self), in: InodeNumber(kernel: .folderInTrash(trash)))
            return
        }
        let newFolder = try InodeNumber(folder: newFolder.number)
        switch folder {
        case .versions(let folder, let inode):
            try library.chooseVersion(
                name, in: folder, of: inode, as: newName, in: newFolder, options: options, by: caller)
        case .folderInTrash(let trash):
            if options.contains(.exchange) { throw .virtualName }
            try library.restoreTrashed(name, in: trash, to: newName, in: newFolder, by: caller)
        default:
            try library.rename(
                name, in: InodeNumber(folder: folder.number), to: newName, in: newFolder, options: options, by: caller)
        }
    }

    /// Only regular files: a device, socket or FIFO is no document.
    private func makeNode(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ mode: mode_t, _ request: Request
    ) throws(Refusal) -> Reply {
        guard mode & S_IFMT == S_IFREG || mode & S_IFMT == 0 else { throw .notRegularFile }
        let (resolved, opening) = try library.create(
            name, in: InodeNumber(folder: parent), by: request.creator(mode: mode), flags: O_RDONLY | O_EXCL)
        if case .opened(let file) = opening { library.close(file.number) }
        return .entry(resolved)
    }
}

extension RenameOptions {
    /// - Throws: EINVAL for flags that no file system but overlayfs knows.
    init(flags: UInt32) throws(Refusal) {
        guard flags & ~UInt32(RENAME_NOREPLACE | RENAME_EXCHANGE) == 0 else { throw .unknownFlags }
        self.init(rawValue: Int(flags))
    }
}
