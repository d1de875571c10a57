import Backing
import Catalog
import Glibc
@testable import Library
import SystemPackage
import Testing

/// What a program has open for writing.
extension SmallWorlds.LivingWorld {
    /// The name of the file that is open; nil if it has none any more, or nothing is open.
    func pathOfOpened(_ side: Side) throws -> Path? {
        guard let opened = side.opened else { return nil }
        let inode = try side.device.library.handle(opened).inode
        return try items(on: side.device).first { $0.entry.inode == inode }?.path
    }

    /// What the file that is open has now; nil if nothing is open.
    func textOfOpened(_ side: Side) throws -> String? {
        guard let opened = side.opened else { return nil }
        let file = try side.device.library.handle(opened).descriptor
        return String(decoding: try file.readPrefix(Int(file.status().st_size)), as: UTF8.self)
    }

    /// Whether the file that is open was removed, and would come back with an undo.
    func isOpenedInTrash(_ side: Side) throws -> Bool {
        guard let opened = side.opened else { return false }
        let inode = try side.device.library.handle(opened).inode
        return access("\(side.device.store)/trash/\(inode)", F_OK) == 0
    }

    /// A content is not sent while a program is at work on it, unless that takes minutes: where the world waits for it, the program ends.
    func closeUnsentOpened(_ side: Side) throws {
        guard let opened = side.opened else { return }
        let inode = try side.device.library.handle(opened).inode
        guard
            try items(on: side.device).contains(where: {
                $0.entry.inode == inode && $0.entry.pending.contains(.content)
            })
        else { return }
        tell("exec 3>&-")
        closeOpened(side)
    }

    func closeOpened(_ side: Side) {
        guard let opened = side.opened else { return }
        side.device.library.close(opened)
        side.opened = nil
    }
}
