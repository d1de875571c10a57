import Catalog
import Documents
import Logging
import SystemPackage

/// Removes from the trash what need not be kept any more. Files go before the rows that tell of them, so that a kill between leaves no
/// file that nothing tells of.
extension DocumentStore {
    /// Steps in one transaction: other calls wait for it.
    private static let stepsAtOnce = 256

    /// Removes actions that are too old, and the oldest ones while the trash is too large or the disk runs short.
    package func tidyTrash(_ limit: TrashLimit = TrashLimit()) throws {
        while let oldest = try read({ try $0.oldestAction() }), limit.isOver(oldest.time, now: surroundings.now()) {
            try removeSome(of: oldest)
        }
        while try read({ try $0.trashSize() }).bytes > limit.bytes || reserve.isShort {
            guard try removeOldestFromTrash() else { return }
        }
    }

    /// Empties the trash until there is room for something new. If all of it would not be enough, it stays.
    package func makeRoomFromTrash() throws {
        while true {
            let lacking = reserve.lacking
            guard lacking > 0, try read({ try $0.trashSize() }).bytes >= lacking, try removeOldestFromTrash() else {
                return
            }
        }
    }

    /// Bytes. With less room a program that writes fast may reach the end of the disk before the trash can be given up for it.
    private static let ampleRoom: Int64 = 768 << 20

    /// Whether a write may find no room that the trash holds.
    package var mayNeedTrash: Bool { catalog.mayHaveTrash && (reserve.room.map { $0 < Self.ampleRoom } ?? false) }

    /// Bytes that can be written until the trash should be given up (`Reserve.room`).
    package var room: Int64? { reserve.room }

    /// Gives up the oldest of what is in the trash, because a write found no room.
    ///
    /// - Parameter bytes: to be written. If all of the trash would not be enough, it stays.
    /// - Returns: whether that made room.
    package func giveUpOldestInTrash(toWrite bytes: Int64) throws -> Bool {
        let size = try read { try $0.trashSize() }.bytes
        guard size > 0, let free = reserve.free(), size >= bytes - free else { return false }
        // Empty documents make none.
        while try removeOldestFromTrash() {
            if try read({ try $0.trashSize() }).bytes < size { break }
        }
        return reserve.free().map { $0 > free } ?? false
    }

    /// Removes all that is in the trash, with the actions that could bring it back.
    package func emptyTrash() throws { while try removeOldestFromTrash() {} }

    /// - Returns: false if the trash is empty.
    private func removeOldestFromTrash() throws -> Bool {
        guard let oldest = try read({ try $0.oldestActionInTrash() }) else { return false }
        try removeSome(of: oldest)
        return true
    }

    private func removeSome(of action: ActionRecord) throws {
        try write { transaction in
            let steps = try transaction.steps(of: action.id, limit: Self.stepsAtOnce)
            var rest = action
            for step in steps {
                if step.isInTrash { try files.removeFromTrash(step.entry.inode) }
                try transaction.delete(step)
                if step.isAboutEntry, step.change == .removed || rest.name.kind != .delete {
                    rest.name.add(ActionSubject(kind: step.entry.kind, name: ""), times: -1)
                }
            }
            if steps.count < Self.stepsAtOnce {
                try transaction.deleteAction(action.id)
            } else {
                try transaction.store(rest)
            }
        }
        logger.info("an action can no longer be undone", metadata: ["action": "\(action.name.text)"])
    }
}
