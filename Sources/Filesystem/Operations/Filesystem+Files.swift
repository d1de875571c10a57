import CFuse
import Catalog
import Glibc
import Library
import SystemPackage

/// create, open, release, fsync, poll.
extension Filesystem {
    static func addFiles(to operations: inout fuse_lowlevel_ops) {
        operations.create = { request, parent, name, mode, info in
            if isReenacted(request!, .make(parent, name)) { return }
            filesystem(of: request!).create(parent, bytes(name), mode, info!.pointee.flags, Request(request!))
        }
        operations.open = { request, number, info in
            if isReenacted(request!, .open(number)) { return }
            filesystem(of: request!).open(number, info!.pointee.flags, Request(request!))
        }
        operations.release = { request, number, info in
            Request(request!).answer { () throws(Errno) in
                filesystem(of: request!).release(number, info!.pointee.fh, info!.pointee.flags)
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
            finish(opening, of: resolved.node.number, flags, request) { .created(resolved, $0) }
        } catch {
            request.answer { () throws(Errno) in throw error }
        }
    }

    private func open(_ number: fuse_ino_t, _ flags: Int32, _ request: Request) {
        do throws(Errno) {
            switch Node(number: number) {
            case .state(let inode):
                let handle = try openState(inode, flags)
                request.answer { () throws(Errno) in
                    .opened(OpenedFile(handle: handle, content: .direct) { [self] in release(number, handle, flags) })
                }
            case .entry(let inode):
                if flags & O_TRUNC != 0, !request.isPrivileged {
                    try library.clearSetID(of: inode, isMember: request.membership)
                }
                finish(try library.open(inode, flags: flags, by: request.caller), of: number, flags, request) {
                    .opened($0)
                }
            case .version(let inode):
                finish(try library.openVersion(inode, flags: flags), of: number, flags, request) { .opened($0) }
            case .versions:
                throw .isDirectory
            }
        } catch {
            request.answer { () throws(Errno) in throw error }
        }
    }

    private func finish(
        _ opening: Opening, of number: fuse_ino_t, _ flags: Int32, _ request: Request,
        reply: @escaping @Sendable (OpenedFile) -> Reply
    ) {
        switch opening {
        case .opened(let handle):
            request.answer { () throws(Errno) in
                let file = try opened(handle, of: number, flags)
                let reply = reply(file)
                if case .opened = reply, case .passthrough = file.content { forgetAttributes(number, flags) }
                return reply
            }
        case .arriving(let inode):
            let caller = request.caller
            request.answerLater { [self] () throws(Errno) in
                let handle =
                    inode.isVersion
                    ? try await library.finishOpeningVersion(inode)
                    : try await library.finishOpening(inode, flags: flags, by: caller)
                let file = try opened(handle, of: number, flags)
                if case .passthrough = file.content { forgetAttributes(number, flags) }
                return reply(file)
            }
        }
    }

    /// Gives an open handle its way to the content.
    private func opened(_ number: UInt64, of inode: fuse_ino_t, _ flags: Int32) throws(Errno) -> OpenedFile {
        let handle = try library.handle(number)
        let path = dataPaths.open(inode, handle)
        let file = OpenedFile(handle: number, content: path.content) { [self] in
            release(inode, number, flags)
        }
        if handle.canWrite, path != .cached {
            // The kernel will not tell of writes.
            do throws(Errno) { try library.willWriteUnseen(handle) } catch {
                file.release()
                throw error
            }
        }
        return file
    }

    /// What the kernel knows of an inode is not to be believed any longer once it may be written unseen;
    /// with the reply to create it gets what holds.
    private func forgetAttributes(_ number: fuse_ino_t, _ flags: Int32) {
        guard flags & O_ACCMODE != O_RDONLY, case .entry(let inode) = Node(number: number) else { return }
        library.observer?.attributesChanged(of: inode)
    }

    private func openState(_ inode: InodeNumber, _ flags: Int32) throws(Errno) -> UInt64 {
        guard flags & O_ACCMODE == O_RDONLY, flags & O_TRUNC == 0 else { throw .permissionDenied }
        return stateFiles.add(inode, text: try library.stateText(of: inode, settling: false))
    }

    private func release(_ number: fuse_ino_t, _ handle: UInt64, _ flags: Int32) {
        if handle == Filesystem.reenactedHandle { return }
        switch Node(number: number) {
        case .entry, .version:
            library.whenUnmapped(handle) { [self] in
                library.close(handle)
                dataPaths.close(number, isWriter: flags & O_ACCMODE != O_RDONLY)
            }
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
            isChanged = try !library.stateText(of: inode, settling: false).utf8.elementsEqual(seen.text)
        } catch {
            isChanged = true  // what it was about is gone, which reading will tell
        }
        return .events(isChanged ? ready | UInt32(POLLPRI) : ready)
    }
}

extension DataPaths.Path {
    fileprivate var content: OpenedFile.Content {
        switch self {
        case .passthrough(let backing): .passthrough(backing: backing)
        case .cached: .cached
        }
    }
}
