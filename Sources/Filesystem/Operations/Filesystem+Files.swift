import CFuse
import Catalog
import Glibc
import Library
import SystemPackage

/// create, open, flush, release, fsync, poll.
extension Filesystem {
    static func addFiles(to operations: inout fuse_lowlevel_ops) {
        operations.create = { request, parent, name, mode, info in
            filesystem(of: request!).create(parent, bytes(name), mode, info!.pointee.flags, Request(request!))
        }
        operations.open = { request, number, info in
            filesystem(of: request!).open(number, info!.pointee.flags, Request(request!))
        }
        operations.flush = { request, number, info in
            Request(request!).answer { () throws(Errno) in
                if case .entry = Node(number: number) { filesystem(of: request!).library.willClose(info!.pointee.fh) }
                return .success
            }
        }
        operations.release = { request, number, info in
            Request(request!).answer { () throws(Errno) in
                filesystem(of: request!).release(number, info!.pointee.fh)
                return .success
            }
        }
        operations.fsync = { request, number, dataOnly, info in
            Request(request!).answer { () throws(Errno) in
                guard case .entry = Node(number: number) else { return .success }
                let library = filesystem(of: request!).library
                try library.synchronize(library.handle(info!.pointee.fh), dataOnly: dataOnly != 0)
                return .success
            }
        }
        operations.poll = { request, number, info, handle in
            Request(request!).answer { () throws(Errno) in
                try filesystem(of: request!).poll(number, info!.pointee.fh, handle)
            }
        }
    }

    private func create(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ mode: mode_t, _ flags: Int32,
        _ request: Request
    ) {
        do throws(Errno) {
            let (resolved, opening) = try library.create(
                name, in: InodeNumber(folder: parent), by: Creator(request.pointer, mode: mode), flags: flags)
            finish(opening, flags, request) { .created(resolved, handle: $0) }
        } catch {
            request.answer { () throws(Errno) in throw error }
        }
    }

    private func open(_ number: fuse_ino_t, _ flags: Int32, _ request: Request) {
        do throws(Errno) {
            switch Node(number: number) {
            case .state(let inode):
                let handle = try openState(inode, flags)
                request.answer { () throws(Errno) in .opened(handle: handle, direct: true) }
            case .entry(let inode):
                finish(try library.open(inode, flags: flags), flags, request) { .opened(handle: $0, direct: false) }
            case .version(let inode):
                finish(try library.openVersion(inode, flags: flags), flags, request) { .opened(handle: $0, direct: false) }
            case .versions:
                throw .isDirectory
            }
        } catch {
            request.answer { () throws(Errno) in throw error }
        }
    }

    private func finish(
        _ opening: Opening, _ flags: Int32, _ request: Request, reply: @escaping @Sendable (UInt64) -> Reply
    ) {
        switch opening {
        case .opened(let handle):
            request.answer { () throws(Errno) in reply(handle) }
        case .arriving(let inode):
            request.answerLater { [library] () throws(Errno) in
                let handle = inode.isVersion
                    ? try await library.finishOpeningVersion(inode) : try await library.finishOpening(inode, flags: flags)
                return reply(handle)
            }
        }
    }

    private func openState(_ inode: InodeNumber, _ flags: Int32) throws(Errno) -> UInt64 {
        guard flags & O_ACCMODE == O_RDONLY, flags & O_TRUNC == 0 else { throw .permissionDenied }
        return stateFiles.add(inode, text: try library.stateText(of: inode))
    }

    private func release(_ number: fuse_ino_t, _ handle: UInt64) {
        switch Node(number: number) {
        case .entry, .version: library.close(handle)
        case .versions: break
        case .state:
            statePolls.remove(handle)
            stateFiles.remove(handle)
        }
    }

    /// A state file has POLLPRI when it says something else than its reader last saw. Everything else
    /// is always ready.
    private func poll(_ number: fuse_ino_t, _ handle: UInt64, _ waiting: OpaquePointer?) throws(Errno) -> Reply {
        let ready = UInt32(POLLIN | POLLRDNORM)
        guard case .state(let inode) = Node(number: number) else {
            if let waiting { fuse_pollhandle_destroy(waiting) }
            return .events(ready | UInt32(POLLOUT | POLLWRNORM))
        }
        // Registered before it is compared, so that no change falls between.
        if let waiting { statePolls.add(waiting, for: handle) }
        guard let seen = stateFiles[handle] else { throw .badFileDescriptor }
        let isChanged: Bool
        do throws(Errno) {
            isChanged = try !library.stateText(of: inode).utf8.elementsEqual(seen.text)
        } catch {
            isChanged = true  // what it was about is gone, which reading will tell
        }
        return .events(isChanged ? ready | UInt32(POLLPRI) : ready)
    }
}
