import Backing
import CFuse
import Documents
import Glibc
import Library
import SystemPackage

/// getattr, setattr, access, statfs.
extension Filesystem {
    static func addAttributes(to operations: inout fuse_lowlevel_ops) {
        operations.getattr = { request, number, _ in
            Request(request, "getattr", number).answer { filesystem throws(Refusal) in
                let node = Node(number: number)
                return .attributes(try filesystem.library.attributes(of: node), node)
            }
        }
        operations.setattr = { request, number, attributes, mask, info in
            let request = Request(request, "setattr", number)
            var changes = AttributeChanges(attributes!.pointee, mask)
            let clearsSetID =
                changes.owner != nil || changes.group != nil || (changes.size != nil && !request.isPrivileged)
            if clearsSetID { changes.clearsSetID = request.membership }
            request.answerWhenReady { filesystem throws(Refusal) in
                try filesystem.setAttributes(number, changes, info?.pointee.fh)
            }
        }
        // The kernel asks this for root only, and only for access(2) and chdir(2): otherwise it checks permissions itself.
        operations.access = { request, number, mask in
            Request(request, "access", number).answer { filesystem throws(Refusal) in
                guard mask & X_OK != 0 else { return .success }
                let attributes = try filesystem.library.attributes(of: Node(number: number))
                if attributes.type == .file, attributes.mode & 0o111 == 0 { throw .notExecutable }
                return .success
            }
        }
        operations.statfs = { request, number in
            Request(request, "statfs", number).answer { filesystem throws(Refusal) in
                var statistics = try filesystem.library.fileSystemStatus()
                statistics.f_namemax = UInt(EntryName.maximumLength)
                return .statistics(statistics)
            }
        }
    }

    private func setAttributes(
        _ number: fuse_ino_t, _ changes: AttributeChanges, _ handle: UInt64?
    ) throws(Refusal) -> Answer {
        if case .order(let folder) = Node(number: number), let size = changes.size {
            try truncateOrder(of: folder, handle, to: size)
            return .now(.attributes(try library.attributes(of: Node(number: number)), Node(number: number)))
        }
        // Shells empty a file before they write to it. A location is never empty.
        if case .location = Node(number: number), changes.size != nil {
            return .now(.attributes(try library.attributes(of: .location), .location))
        }
        let inode = try InodeNumber(entry: number)
        guard let size = changes.size, try library.mustArriveToTruncate(inode, to: size) else {
            return .now(.attributes(try library.setAttributes(of: inode, changes), .entry(inode)))
        }
        return .later { [library] () throws(Refusal) in
            try await library.waitForContent(of: inode)
            return .attributes(try library.setAttributes(of: inode, changes), .entry(inode))
        }
    }
}

extension AttributeChanges {
    init(_ attributes: stat, _ mask: Int32) {
        self.init()
        func has(_ flag: Int32) -> Bool { mask & flag != 0 }
        if has(FUSE_SET_ATTR_MODE) { mode = UInt16(attributes.st_mode & 0o7777) }
        if has(FUSE_SET_ATTR_UID) { owner = attributes.st_uid }
        if has(FUSE_SET_ATTR_GID) { group = attributes.st_gid }
        if has(FUSE_SET_ATTR_SIZE) { size = Int64(attributes.st_size) }
        if has(FUSE_SET_ATTR_ATIME) { accessed = .at(Timestamp(attributes.st_atim)) }
        if has(FUSE_SET_ATTR_MTIME) { modified = .at(Timestamp(attributes.st_mtim)) }
        if has(FUSE_SET_ATTR_ATIME_NOW) { accessed = .now }
        if has(FUSE_SET_ATTR_MTIME_NOW) { modified = .now }
    }
}
