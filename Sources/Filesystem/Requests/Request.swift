import CFuse
import Library
import SystemPackage

/// A FUSE request that has not been answered yet, and what it asks for.
///
/// Each request gets exactly one answer: `answer` sends what its closure returns, or refuses it with the error that the
/// closure throws. Nothing else replies, but for the thread of `RemoteEvents`.
///
/// `@unchecked`: libfuse allows a request to be answered from any thread, once; `answer` does it once.
struct Request: @unchecked Sendable {
    let pointer: fuse_req_t
    /// For the log.
    let subject: RequestSubject

    /// - Parameters:
    ///   - operation: as libfuse calls it.
    ///   - inode: of the file or folder; for an operation by name, of the folder that holds the name.
    init(
        _ pointer: fuse_req_t?, _ operation: StaticString, _ inode: fuse_ino_t? = nil,
        _ name: UnsafePointer<CChar>? = nil, to newInode: fuse_ino_t? = nil, _ newName: UnsafePointer<CChar>? = nil
    ) {
        self.pointer = pointer!
        subject = RequestSubject(operation: operation, inode: inode, name: name, newInode: newInode, newName: newName)
    }

    /// The file system that it is for. The session keeps it alive.
    var filesystem: Filesystem { Filesystem.behind(fuse_req_userdata(pointer)) }

    /// Whether the caller may keep set-id bits on the files that it writes to (CAP_FSETID, as root has it).
    var isPrivileged: Bool { fuse_req_ctx(pointer)?.pointee.uid == 0 }

    /// Whether the caller belongs to a group. Call this before the request is answered.
    var membership: AttributeChanges.Membership {
        { group in
            guard let context = fuse_req_ctx(pointer)?.pointee else { return false }
            if context.uid == 0 || context.gid == group { return true }
            // Negative where /proc does not tell: of a caller in another process namespace, or under `hidepid`.
            var groups = [gid_t](repeating: 0, count: max(0, Int(fuse_req_getgroups(pointer, 0, nil))))
            let count = fuse_req_getgroups(pointer, Int32(groups.count), &groups)
            return count > 0 && groups.prefix(Int(count)).contains(group)
        }
    }

    /// The calling thread; 0 if the kernel does not name it.
    var thread: Int32 { fuse_req_ctx(pointer)?.pointee.pid ?? 0 }

    var caller: Caller { Caller(thread: thread) }

    /// The purpose for which the caller looks up a name.
    var purpose: LookupPurpose { CallerPurpose.read(ofThread: thread) }

    /// Whether the caller is a thumbnailer or makes an index.
    var isByCrawler: Bool { CallingProgram.isCrawler(ofThread: thread) }

    func creator(mode: mode_t) -> Creator {
        let context = fuse_req_ctx(pointer)!.pointee
        return Creator(owner: context.uid, group: context.gid, mode: UInt16(mode & 0o7777), caller: caller)
    }

    /// Answers at once, on this thread.
    func answer(_ body: (Filesystem) throws(Refusal) -> Reply) {
        answerWhenReady { filesystem throws(Refusal) in .now(try body(filesystem)) }
    }

    /// Answers at once, on this thread, or later by a task.
    func answerWhenReady(_ body: (Filesystem) throws(Refusal) -> Answer) {
        let filesystem = filesystem
        do throws(Refusal) {
            switch try body(filesystem) {
            case .now(let reply): send(reply)
            case .later(let body): answer(later: body)
            }
        } catch {
            filesystem.refusals.log(error, of: subject.inode) { subject.description }
            refuse(error)
        }
    }

    /// The error is logged already.
    func refuse(_ refusal: Refusal) { _ = fuse_reply_err(pointer, refusal.errno.rawValue) }
}
