import CFuse
import CLinux
import Catalog
import Documents
import Glibc
import Library
import SystemPackage

/// lookup, mknod, mkdir, symlink, unlink, rmdir, rename, link, readlink.
extension Filesystem {
    static func addNames(to operations: inout fuse_lowlevel_ops) {
        operations.lookup = { request, parent, name in
            if isReenacted(request!, .lookup(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).lookup(parent, bytes(name), request!)
            }
        }
        // The catalog's rows are the inodes and live on without the kernel: nothing is counted. What has
        // no name any more cannot be looked up again, so the first word of it is the last.
        operations.forget = { request, number, _ in
            filesystem(of: request!).forget(number)
            fuse_reply_none(request)
        }
        operations.forget_multi = { request, count, forgotten in
            for index in 0..<count { filesystem(of: request!).forget(forgotten![index].ino) }
            fuse_reply_none(request)
        }
        operations.mknod = { request, parent, name, mode, _ in
            if isReenacted(request!, .make(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).makeNode(parent, bytes(name), mode, request!)
            }
        }
        operations.mkdir = { request, parent, name, mode in
            if isReenacted(request!, .make(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                .entry(
                    try filesystem(of: request!).library.makeFolder(
                        bytes(name), in: InodeNumber(folder: parent), by: Creator(request!, mode: mode)))
            }
        }
        operations.symlink = { request, target, parent, name in
            if isReenacted(request!, .make(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                .entry(
                    try filesystem(of: request!).library.makeSymbolicLink(
                        bytes(name), to: Array(bytes(target)), in: InodeNumber(folder: parent),
                        by: Creator(request!, mode: 0o777)))
            }
        }
        operations.readlink = { request, number in
            Request(request!).answer { () throws(Errno) in
                .link(try filesystem(of: request!).library.readSymbolicLink(InodeNumber(entry: number)))
            }
        }
        operations.unlink = { request, parent, name in
            if isReenacted(request!, .remove(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).remove(bytes(name), from: Node(number: parent))
                return .success
            }
        }
        operations.rmdir = { request, parent, name in
            if isReenacted(request!, .remove(parent, name)) { return }
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).library.removeFolder(bytes(name), in: InodeNumber(folder: parent))
                return .success
            }
        }
        operations.rename = { request, parent, name, newParent, newName, flags in
            if isReenacted(request!, .rename(parent, name, newParent, newName)) { return }
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).rename(
                    bytes(name), in: Node(number: parent), to: bytes(newName), in: InodeNumber(folder: newParent),
                    RenameOptions(flags: flags), by: Request(request!).caller)
                return .success
            }
        }
        operations.link = { request, _, _, _ in
            Request(request!).answer { () throws(Errno) in throw .notPermitted }
        }
    }

    private func forget(_ number: fuse_ino_t) {
        if case .entry(let inode) = Node(number: number) { library.forget(inode) }
    }

    private func lookup(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ request: fuse_req_t
    ) throws(Errno) -> Reply {
        if case .versions(let folder, let inode) = Node(number: parent) {
            return .entry(try library.lookup(name, in: folder, of: inode))
        }
        let folder = try InodeNumber(folder: parent)
        if let document = ReservedStateName.stem(of: name) {
            return .entry(try library.lookupState(of: document, in: folder) { CallerPurpose.read(of: request) })
        }
        return .entry(try library.lookup(name, in: folder) { CallerPurpose.read(of: request) })
    }

    private func remove(_ name: UnsafeBufferPointer<UInt8>, from folder: Node) throws(Errno) {
        if case .versions(let folder, let inode) = folder {
            try library.discardVersion(name, in: folder, of: inode)
        } else {
            try library.remove(name, in: InodeNumber(folder: folder.number))
        }
    }

    private func rename(
        _ name: UnsafeBufferPointer<UInt8>, in folder: Node, to newName: UnsafeBufferPointer<UInt8>,
        in newFolder: InodeNumber, _ options: RenameOptions, by caller: Caller
    ) throws(Errno) {
        if case .versions(let folder, let inode) = folder {
            try library.chooseVersion(name, in: folder, of: inode, as: newName, in: newFolder, options: options)
        } else {
            try library.rename(
                name, in: InodeNumber(folder: folder.number), to: newName, in: newFolder, options: options, by: caller)
        }
    }

    /// Only regular files: a device, socket or FIFO is no document (PRODUCT 10).
    private func makeNode(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ mode: mode_t, _ request: fuse_req_t
    ) throws(Errno) -> Reply {
        guard mode & S_IFMT == S_IFREG || mode & S_IFMT == 0 else { throw .notPermitted }
        let (resolved, opening) = try library.create(
            name, in: InodeNumber(folder: parent), by: Creator(request, mode: mode), flags: O_RDONLY | O_EXCL)
        if case .opened(let handle) = opening { library.close(handle) }
        return .entry(resolved)
    }
}

extension Creator {
    init(_ request: fuse_req_t, mode: mode_t) {
        let context = fuse_req_ctx(request)!.pointee
        self.init(
            owner: context.uid, group: context.gid, mode: UInt16(mode & 0o7777),
            caller: Caller(thread: context.pid))
    }
}

extension RenameOptions {
    /// - Throws: EINVAL for flags that no file system but overlayfs knows.
    init(flags: UInt32) throws(Errno) {
        guard flags & ~UInt32(RENAME_NOREPLACE | RENAME_EXCHANGE) == 0 else { throw .invalidArgument }
        self.init(rawValue: Int(flags))
    }
}
