import CFuse
import CLinux
import Documents
import Glibc
import Library
import SystemPackage

/// create, open, release, fsync, poll.
extension Filesystem {
    static func addFiles(to operations: inout fuse_lowlevel_ops) {
        operations.create = { request, parent, name, mode, info in
            let request = Request(request, "create", parent, name)
            request.answerWhenReady { filesystem throws(Refusal) in
                try filesystem.create(parent, bytes(name), mode, info!.pointee.flags, request)
            }
        }
        operations.open = { request, number, info in
            let request = Request(request, "open", number)
            request.answerWhenReady { filesystem throws(Refusal) in
                try filesystem.open(number, info!.pointee.flags, request)
            }
        }
        operations.release = { request, number, info in
            Request(request, "release", number).answer { filesystem throws(Refusal) in
                filesystem.release(number, info!.pointee.fh, isWriter: info!.pointee.flags & O_ACCMODE != O_RDONLY)
                return .success
            }
        }
        operations.fsync = { request, number, dataOnly, info in
            Request(request, "fsync", number).answer { filesystem throws(Refusal) in
                guard case .entry = Node(number: number) else { return .success }
                let library = filesystem.library
                try library.synchronize(library.handle(info!.pointee.fh), dataOnly: dataOnly != 0)
                return .success
            }
        }
        operations.poll = { request, number, info, handle in
            Request(request, "poll", number).answer { filesystem throws(Refusal) in
                try filesystem.poll(number, info!.pointee.fh, handle)
            }
        }
    }

    private func create(
        _ parent: fuse_ino_t, _ name: UnsafeBufferPointer<UInt8>, _ mode: mode_t, _ flags: Int32, _ request: Request
    ) throws(Refusal) -> Answer {
        if case .folderInTrash(let trash) = Node(number: parent) {
            let resolved = try library.announceTrash(name, in: trash)
            return .now(.created(resolved, openText("", resolved.node.number)))
        }
        let (resolved, opening) = try library.create(
            name, in: InodeNumber(folder: parent), by: request.creator(mode: mode), flags: flags)
        let number = resolved.node.number
        if case .opened(let file) = opening { return .now(.created(resolved, reply(to: file, of: number, flags))) }
        return try answer(opening, of: number, flags, request) { .created(resolved, $0) }
    }

    private func open(_ number: fuse_ino_t, _ flags: Int32, _ request: Request) throws(Refusal) -> Answer {
        switch Node(number: number) {
        case .state(let inode):
            return .now(.opened(try openState(inode, number, flags)))
        case .order(let folder):
            return .now(.opened(try openOrder(of: folder, flags)))
        case .actions(let direction):
            return .now(.opened(openText(try library.actionListText(direction), number)))
        case .location: return .now(.opened(openLocation()))
        case .report(let report): return .now(.opened(openText(try library.reportText(report), number)))
        case .entry(let inode), .version(let inode):
            let opening = try library.open(
                inode, flags: flags, by: request.caller,
                clearingSetID: request.isPrivileged ? nil : request.membership)
            return try answer(opening, of: number, flags, request) { .opened($0) }
        case .trashInfo(let file): return .now(.opened(openText(try library.trashInfoText(file), number)))
        case .trashed(let file):
            return .now(.opened(reply(to: try library.openTrashed(file, flags: flags), of: number, flags)))
        case .versions, .folderInTrash:
            throw .isFolder
        }
    }

    private func answer(
        _ opening: Opening, of number: fuse_ino_t, _ flags: Int32, _ request: Request,
        _ reply: @escaping @Sendable (OpenReply) -> Reply
    ) throws(Refusal) -> Answer {
        switch opening {
        case .opened(let file):
            return .now(reply(self.reply(to: file, forgettingAttributesOf: number, flags)))
        case .arriving(let inode):
            if request.isByCrawler { throw .notForCrawlers }
            let caller = request.caller
            return .later { [self] () throws(Refusal) in
                let file = try await library.finishOpening(inode, flags: flags, by: caller)
                return reply(self.reply(to: file, forgettingAttributesOf: number, flags))
            }
        }
    }

    /// Makes the kernel forget an inode's attributes once the file may be written unseen. A file that is just created does not
    /// need this: its attributes are in the reply.
    private func reply(to file: OpenedFile, forgettingAttributesOf number: fuse_ino_t, _ flags: Int32) -> OpenReply {
        let reply = reply(to: file, of: number, flags)
        if file.canWrite, case .passthrough = reply.content, case .entry(let inode) = Node(number: number) {
            caches?.attributesChanged(of: inode)
        }
        return reply
    }

    /// - Parameter flags: of open(2).
    private func reply(to file: OpenedFile, of number: fuse_ino_t, _ flags: Int32) -> OpenReply {
        let path = dataPaths.open(number, shareable: file.shareable, canWrite: file.canWrite)
        return OpenReply(handle: file.number, content: path.content(flags)) { [self] in
            release(number, file.number, isWriter: file.canWrite)
        }
    }

    private func openState(_ inode: InodeNumber, _ number: fuse_ino_t, _ flags: Int32) throws(Refusal) -> OpenReply {
        guard flags & O_ACCMODE == O_RDONLY, flags & O_TRUNC == 0 else { throw .stateNotWritable }
        return openText(try library.stateText(of: inode, waitsForCloses: false), number)
    }

    private func openText(_ text: String, _ number: fuse_ino_t) -> OpenReply {
        let handle = virtualFiles.add(text)
        return OpenReply(handle: handle, content: .direct) { [self] in release(number, handle, isWriter: false) }
    }

    private func release(_ number: fuse_ino_t, _ handle: UInt64, isWriter: Bool) {
        switch Node(number: number) {
        case .entry, .version, .trashed:
            library.whenUnmapped(handle) { [self] in
                library.close(handle)
                dataPaths.close(number, isWriter: isWriter)
            }
        case .versions, .folderInTrash: break
        case .actions, .location, .order, .report, .trashInfo: virtualFiles.remove(handle)
        case .state:
            statePolls.remove(handle)
            virtualFiles.remove(handle)
        }
    }

    /// A state file has POLLPRI when it says something else than its reader last saw. Everything else
    /// is always ready.
    private func poll(_ number: fuse_ino_t, _ handle: UInt64, _ waiting: OpaquePointer?) throws(Refusal) -> Reply {
        let ready = UInt32(POLLIN | POLLRDNORM)
        guard case .state(let inode) = Node(number: number) else {
            if let waiting { fuse_pollhandle_destroy(waiting) }
            return .events(ready | UInt32(POLLOUT | POLLWRNORM))
        }
        // Registered before the comparison, so that no change between the two is missed.
        if let waiting { statePolls.add(waiting, for: handle) }
        guard let seen = virtualFiles[handle] else { throw .noSuchHandle }
        let isChanged: Bool
        do throws(Refusal) {
            isChanged = try !library.stateText(of: inode, waitsForCloses: false).utf8.elementsEqual(seen)
        } catch .staleNFSFileHandle {
            isChanged = true  // the document is gone
        }
        return .events(isChanged ? ready | UInt32(POLLPRI) : ready)
    }
}

extension DataPaths.Path {
    /// Under O_DIRECT docfs is asked. Else the kernel would open the backing file with that flag once and for all, and a program that takes
    /// it back (fcntl(2)) could not: dd(1) does so before a last block that is short.
    ///
    /// - Parameter flags: of open(2).
    fileprivate func content(_ flags: Int32) -> OpenReply.Content {
        switch self {
        case .passthrough(let backing): .passthrough(backing: backing, isDirect: flags & O_DIRECT != 0)
        case .cached: .cached
        }
    }
}
