import Backing
import CFuse
import Documents
import Glibc
import Library
import SystemPackage

/// Puts the `ReenactmentStage` before the operations, none of which knows of it.
extension Filesystem {
    static func interceptReenactments(in operations: inout fuse_lowlevel_ops) {
        operations.lookup = { request, parent, name in
            if Filesystem.isReenacted(request, .lookup(parent, name)) { return }
            Filesystem.ownOperations.lookup!(request, parent, name)
        }
        operations.create = { request, parent, name, mode, info in
            if Filesystem.isReenacted(request, .make(parent, name)) { return }
            Filesystem.ownOperations.create!(request, parent, name, mode, info)
        }
        operations.mknod = { request, parent, name, mode, device in
            if Filesystem.isReenacted(request, .make(parent, name)) { return }
            Filesystem.ownOperations.mknod!(request, parent, name, mode, device)
        }
        operations.mkdir = { request, parent, name, mode in
            if Filesystem.isReenacted(request, .make(parent, name)) { return }
            Filesystem.ownOperations.mkdir!(request, parent, name, mode)
        }
        operations.symlink = { request, target, parent, name in
            if Filesystem.isReenacted(request, .make(parent, name)) { return }
            Filesystem.ownOperations.symlink!(request, target, parent, name)
        }
        operations.unlink = { request, parent, name in
            if Filesystem.isReenacted(request, .remove(parent, name)) { return }
            Filesystem.ownOperations.unlink!(request, parent, name)
        }
        operations.rmdir = { request, parent, name in
            if Filesystem.isReenacted(request, .remove(parent, name)) { return }
            Filesystem.ownOperations.rmdir!(request, parent, name)
        }
        operations.rename = { request, parent, name, newParent, newName, flags in
            if Filesystem.isReenacted(request, .rename(parent, name, newParent, newName)) { return }
            Filesystem.ownOperations.rename!(request, parent, name, newParent, newName, flags)
        }
        operations.open = { request, number, info in
            if Filesystem.isReenacted(request, .open(number)) { return }
            Filesystem.ownOperations.open!(request, number, info)
        }
        operations.fallocate = { request, number, mode, offset, length, info in
            if Filesystem.isReenacted(request, .touch(number)) { return }
            Filesystem.ownOperations.fallocate!(request, number, mode, offset, length, info)
        }
        operations.release = { request, number, info in
            if info!.pointee.fh == Filesystem.reenactedHandle {
                _ = fuse_reply_err(request, 0)
            } else {
                Filesystem.ownOperations.release!(request, number, info)
            }
        }
    }

    /// The handle of an open that was reenacted; no open file has this number.
    static let reenactedHandle: UInt64 = 0

    /// Answers a request of the thread that reenacts remote changes.
    ///
    /// - Returns: false for everyone else's requests, and for those of the thread that the file system answers as always.
    private static func isReenacted(_ pointer: fuse_req_t?, _ call: @autoclosure () -> Reenactment.Call) -> Bool {
        let filesystem = Filesystem.behind(fuse_req_userdata(pointer))
        let thread = fuse_req_ctx(pointer)?.pointee.pid ?? 0
        guard filesystem.stage.isPerformer(thread) else { return false }
        let call = call()
        return filesystem.reply(filesystem.stage.answer(to: call), to: call, pointer!)
    }

    private func reply(_ answer: Reenactment.Answer, to call: Reenactment.Call, _ request: fuse_req_t) -> Bool {
        switch answer {
        case .notOurs:
            return false
        case .refused:
            _ = fuse_reply_err(request, EPERM)
        case .absent:
            _ = fuse_reply_err(request, ENOENT)
        case .done:
            if case .open = call {
                var info = fuse_file_info(reenacted: ())
                _ = fuse_reply_open(request, &info)
            } else {
                _ = fuse_reply_err(request, 0)
            }
        case .entry(let listed):
            reply(listed, to: call, request)
        }
        return true
    }

    private func reply(_ listed: ListedPath.Component, to call: Reenactment.Call, _ request: fuse_req_t) {
        // The kernel must not remember names by this: they may mean something else by now.
        let resolved = Resolved(node: Node(listed), attributes: attributes(of: listed), isCacheable: false)
        var entry = fuse_entry_param(resolved, in: self)
        if case .make = call, listed.kind == .document {
            var info = fuse_file_info(reenacted: ())
            _ = fuse_reply_create(request, &entry, &info)
        } else {
            _ = fuse_reply_entry(request, &entry)
        }
    }

    /// An entry that was removed meanwhile is answered with invented attributes.
    private func attributes(of listed: ListedPath.Component) -> FileAttributes {
        do throws(Refusal) { return try library.attributes(of: Node(listed)) } catch {
            return .departed(listed.kind, at: Timestamp(seconds: 0, nanoseconds: 0))
        }
    }
}

extension Node {
    /// An entry, or something in the trash (`ListedPath(_ change: TrashChange)`).
    fileprivate init(_ listed: ListedPath.Component) { self.init(number: fuse_ino_t(listed.inode.number)) }
}

extension fuse_file_info {
    /// An open that is registered nowhere. It goes past the page cache, so that it has no influence on how the kernel
    /// gets at the content (`DataPaths`), and does not empty that cache.
    fileprivate init(reenacted: Void) {
        self.init()
        fh = Filesystem.reenactedHandle
        direct_io = 1
        keep_cache = 1
        noflush = 1
    }
}

/// Calls with the names of a request. A name that is not UTF-8 is never one of ours.
extension Reenactment.Call {
    fileprivate static func lookup(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .lookup(folder: inode(folder), name: text(name))
    }

    fileprivate static func make(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .make(folder: inode(folder), name: text(name))
    }

    fileprivate static func remove(_ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?) -> Self {
        .remove(folder: inode(folder), name: text(name))
    }

    fileprivate static func rename(
        _ folder: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ newFolder: fuse_ino_t, _ newName: UnsafePointer<CChar>?
    ) -> Self {
        .rename(folder: inode(folder), name: text(name), newFolder: inode(newFolder), newName: text(newName))
    }

    fileprivate static func open(_ number: fuse_ino_t) -> Self { .open(inode(number)) }

    fileprivate static func touch(_ number: fuse_ino_t) -> Self { .touch(inode(number)) }

    private static func inode(_ number: fuse_ino_t) -> InodeNumber { InodeNumber(Int64(bitPattern: UInt64(number))) }

    private static func text(_ name: UnsafePointer<CChar>?) -> String { String(decoding: bytes(name), as: UTF8.self) }
}
