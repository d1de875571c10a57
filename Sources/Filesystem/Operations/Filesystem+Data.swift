import Backing
import CFuse
import CLinux
import Catalog
import Glibc
import Library
import SystemPackage

/// read, write, fallocate, lseek, copy_file_range: on the backing file's descriptor.
extension Filesystem {
    static func addData(to operations: inout fuse_lowlevel_ops) {
        operations.read = { request, number, size, offset, info in
            filesystem(of: request!).read(number, info!.pointee.fh, Int64(offset), size, Request(request!))
        }
        operations.write_buf = { request, number, source, offset, info in
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).write(number, info!.pointee.fh, source!, offset, Request(request!))
            }
        }
        operations.fallocate = { request, number, mode, offset, length, info in
            if isReenacted(request!, .touch(number)) { return }
            Request(request!).answer { () throws(Errno) in
                let target = try filesystem(of: request!).descriptorToWrite(number, info!.pointee.fh, Request(request!))
                _ = try Filesystem.check { Int(CLinux.fallocate(target.number, mode, offset, length)) }
                return .success
            }
        }
        operations.lseek = { request, number, offset, whence, info in
            Request(request!).answer { () throws(Errno) in
                let handle = try filesystem(of: request!).handle(number, info!.pointee.fh)
                if let size = handle.arrivingSize {
                    return .offset(try Filesystem.seekSolid(Int64(offset), whence, size: size))
                }
                return .offset(Int64(try Filesystem.check { lseek(handle.descriptor.number, offset, whence) }))
            }
        }
        operations.copy_file_range = { request, source, from, sourceInfo, target, to, targetInfo, length, flags in
            Request(request!).answer { () throws(Errno) in
                let served = filesystem(of: request!)
                let source = try served.handle(source, sourceInfo!.pointee.fh)
                let target = try served.descriptorToWrite(target, targetInfo!.pointee.fh, Request(request!))
                // Content that is still arriving has holes where bytes are to come.
                guard served.library.hasArrived(source, from: Int64(from), count: length) else {
                    throw .notSupported
                }
                var (from, to) = (from, to)
                let count = try Filesystem.check {
                    CLinux.copy_file_range(
                        source.descriptor.number, &from, target.number, &to, length, UInt32(bitPattern: flags))
                }
                return .written(count)
            }
        }
    }

    private func read(
        _ number: fuse_ino_t, _ handle: UInt64, _ offset: Int64, _ size: Int, _ request: Request
    ) {
        if case .state(let inode) = Node(number: number) {
            request.answer { () throws(Errno) in try readState(inode, handle, Int(offset), size) }
            return
        }
        do throws(Errno) {
            let handle = try library.handle(handle)
            if library.hasArrived(handle, from: offset, count: size) {
                request.answer { () throws(Errno) in .file(handle.descriptor, offset: offset, size: size) }
            } else {
                request.answerLater { [library] () throws(Errno) in
                    try await library.waitForBytes(handle, from: offset, count: size)
                    return .file(handle.descriptor, offset: offset, size: size)
                }
            }
        } catch {
            request.answer { () throws(Errno) in throw error }
        }
    }

    private func readState(_ inode: InodeNumber, _ handle: UInt64, _ offset: Int, _ size: Int) throws(Errno) -> Reply {
        if offset == 0, !stateFiles.beginReading(handle), let text = try? library.stateText(of: inode, settling: true) {
            stateFiles.renew(handle, text: text)
        }
        guard let state = stateFiles[handle] else { throw .badFileDescriptor }
        return .bytes(Array(state.text.dropFirst(offset).prefix(size)))
    }

    private func write(
        _ number: fuse_ino_t, _ handle: UInt64, _ source: UnsafeMutablePointer<fuse_bufvec>, _ offset: off_t,
        _ request: Request
    ) throws(Errno) -> Reply {
        let file = try descriptorToWrite(number, handle, request)
        var target = docfs_file_buffer(file.number, fuse_buf_size(source), offset)
        let count = withExtendedLifetime(file) { fuse_buf_copy(&target, source, fuse_buf_copy_flags(rawValue: 0)) }
        if count < 0 { throw Errno(rawValue: Int32(-count)) }
        return .written(count)
    }

    private func handle(_ number: fuse_ino_t, _ handle: UInt64) throws(Errno) -> Handle {
        switch Node(number: number) {
        case .entry, .version: return try library.handle(handle)
        case .state, .versions: throw .notSupported
        }
    }

    private func descriptorToWrite(
        _ number: fuse_ino_t, _ handle: UInt64, _ request: Request
    ) throws(Errno) -> Descriptor {
        let handle = try self.handle(number, handle)
        if handle.canWrite, !request.isPrivileged {
            try library.clearSetID(of: handle.inode, isMember: request.membership)
        }
        try library.willWrite(handle)
        return try handle.writable()
    }

    /// lseek(2) in content of which nobody knows yet where its holes are: as if it had none.
    private static func seekSolid(_ offset: Int64, _ whence: Int32, size: Int64) throws(Errno) -> Int64 {
        guard offset >= 0, offset < size else { throw .noSuchAddressOrDevice }
        return whence == SEEK_HOLE ? size : offset
    }

    private static func check(_ call: () -> Int) throws(Errno) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }
}
