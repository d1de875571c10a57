import Backing
import CFuse
import CLinux
import Documents
import Glibc
import Library
import SystemPackage

/// read, write, fallocate, lseek, copy_file_range: on the backing file's descriptor.
extension Filesystem {
    static func addData(to operations: inout fuse_lowlevel_ops) {
        operations.read = { request, number, size, offset, info in
            Request(request, "read", number).answerWhenReady { filesystem throws(Refusal) in
                try filesystem.read(number, info!.pointee.fh, Int64(offset), size)
            }
        }
        operations.write_buf = { request, number, source, offset, info in
            let request = Request(request, "write", number)
            request.answer { filesystem throws(Refusal) in
                try filesystem.write(number, info!.pointee.fh, source!, offset, request)
            }
        }
        operations.fallocate = { request, number, mode, offset, length, info in
            let request = Request(request, "fallocate", number)
            request.answer { filesystem throws(Refusal) in
                let target = try filesystem.descriptorToWrite(number, info!.pointee.fh, request)
                try filesystem.givingUpTrash(for: Int64(length)) { () throws(Refusal) in
                    _ = try Filesystem.check { Int(CLinux.fallocate(target.number, mode, offset, length)) }
                }
                return .success
            }
        }
        operations.lseek = { request, number, offset, whence, info in
            Request(request, "lseek", number).answer { filesystem throws(Refusal) in
                let handle = try filesystem.handle(number, info!.pointee.fh)
                if let size = handle.arrivingSize {
                    return .offset(try Filesystem.seekSolid(Int64(offset), whence, size: size))
                }
                return .offset(Int64(try Filesystem.check { lseek(handle.descriptor.number, offset, whence) }))
            }
        }
        operations.copy_file_range = { request, source, from, sourceInfo, target, to, targetInfo, length, flags in
            let request = Request(request, "copy_file_range", target)
            request.answer { filesystem throws(Refusal) in
                let source = try filesystem.handle(source, sourceInfo!.pointee.fh)
                let target = try filesystem.descriptorToWrite(target, targetInfo!.pointee.fh, request)
                // Content that is still arriving has holes where bytes are to come.
                guard filesystem.library.hasArrived(source, from: Int64(from), count: length) else {
                    throw .notSupported
                }
                var (from, to) = (from, to)
                let count = try filesystem.givingUpTrash(for: 1) { () throws(Refusal) in
                    try Filesystem.check {
                        CLinux.copy_file_range(
                            source.descriptor.number, &from, target.number, &to, length, UInt32(bitPattern: flags))
                    }
                }
                return .written(count)
            }
        }
    }

    private func read(
        _ number: fuse_ino_t, _ handle: UInt64, _ offset: Int64, _ size: Int
    ) throws(Refusal) -> Answer {
        switch Node(number: number) {
        case .entry, .version, .trashed: return try readContent(handle, offset, size)
        case .state(let inode): return .now(try readState(inode, handle, Int(offset), size))
        case .order, .actions, .location, .report, .trashInfo: return .now(try readText(handle, Int(offset), size))
        case .versions, .folderInTrash: throw .isFolder
        }
    }

    private func readContent(_ handle: UInt64, _ offset: Int64, _ size: Int) throws(Refusal) -> Answer {
        let handle = try library.handle(handle)
        if library.hasArrived(handle, from: offset, count: size) {
            return .now(.file(handle.descriptor, offset: offset, size: size))
        }
        return .later { [library] () throws(Refusal) in
            try await library.waitForBytes(handle, from: offset, count: size)
            return .file(handle.descriptor, offset: offset, size: size)
        }
    }

    /// Reading a state file from the start shows the present state; the first read shows the state at the time of the open.
    private func readState(_ inode: InodeNumber, _ handle: UInt64, _ offset: Int, _ size: Int) throws(Refusal) -> Reply
    {
        if offset == 0, !virtualFiles.beginReading(handle) {
            do throws(Refusal) {
                virtualFiles.replaceText(
                    of: handle, by: Array(try library.stateText(of: inode, waitsForCloses: true).utf8))
            } catch .staleNFSFileHandle {
                // The document is gone: its state file keeps its last text.
            }
        }
        return try readText(handle, offset, size)
    }

    private func readText(_ handle: UInt64, _ offset: Int, _ size: Int) throws(Refusal) -> Reply {
        guard let text = virtualFiles[handle] else { throw .noSuchHandle }
        return .bytes(Array(text.dropFirst(offset).prefix(size)))
    }

    private func write(
        _ number: fuse_ino_t, _ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>, _ offset: off_t,
        _ request: Request
    ) throws(Refusal) -> Reply {
        switch Node(number: number) {
        case .entry, .version: return try writeContent(number, handle, source, offset, request)
        case .actions(let direction):
            // A handle undoes one action, however many writes its program makes.
            if virtualFiles.beginWriting(handle) { try library.perform(direction) }
            return .written(fuse_buf_size(source))
        case .order(let folder): return try writeOrder(of: folder, handle, source, Int(offset))
        case .location: return try writeLocation(handle, source)
        // What it says docfs knows by itself.
        case .trashInfo: return .written(fuse_buf_size(source))
        case .state, .versions, .report, .folderInTrash, .trashed: throw .notSupported
        }
    }

    private func writeContent(
        _ number: fuse_ino_t, _ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>, _ offset: off_t,
        _ request: Request
    ) throws(Refusal) -> Reply {
        let file = try descriptorToWrite(number, handle, request)
        let count = try givingUpTrash(for: Int64(fuse_buf_size(source))) { () throws(Refusal) in
            var target = docfs_file_buffer(file.number, fuse_buf_size(source), offset)
            let count = withExtendedLifetime(file) { fuse_buf_copy(&target, source, fuse_buf_copy_flags(rawValue: 0)) }
            if count < 0 { throw .file(Errno(rawValue: Int32(-count))) }
            return count
        }
        return .written(count)
    }

    /// The trash gives way to what is written (`Semantics`, "Crashes and full disks").
    ///
    /// - Parameter bytes: without that much room no call of `write` can succeed.
    private func givingUpTrash<Value>(
        for bytes: Int64, _ write: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        while true {
            do throws(Refusal) { return try write() } catch {
                guard case .file(let errno) = error, errno.isLackOfRoom,
                    try library.giveUpOldestInTrash(toWrite: bytes)
                else { throw error }
            }
        }
    }

    private func handle(_ number: fuse_ino_t, _ handle: UInt64) throws(Refusal) -> Handle {
        switch Node(number: number) {
        case .entry, .version, .trashed: return try library.handle(handle)
        case .state, .order, .location, .versions, .actions, .report, .folderInTrash, .trashInfo: throw .notSupported
        }
    }

    private func descriptorToWrite(
        _ number: fuse_ino_t, _ handle: UInt64, _ request: Request
    ) throws(Refusal) -> Descriptor {
        let handle = try self.handle(number, handle)
        if handle.canWrite, !request.isPrivileged {
            try library.removeSetIDBits(of: handle.inode, isMember: request.membership)
        }
        try library.willWrite(handle)
        return try handle.writable()
    }

    /// lseek(2) in content that is still arriving: its holes are not known yet, so it counts as having none.
    private static func seekSolid(_ offset: Int64, _ whence: Int32, size: Int64) throws(Refusal) -> Int64 {
        guard offset >= 0, offset < size else { throw .beyondEnd }
        return whence == SEEK_HOLE ? size : offset
    }

    private static func check(_ call: () -> Int) throws(Refusal) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw .file(Errno(rawValue: errno)) }
        }
    }
}
