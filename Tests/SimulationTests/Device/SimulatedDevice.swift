import Backing
import Documents
@testable import Encryption
import Foundation
@testable import Library
import SystemPackage

/// One device through all its lives, and the programs that run on it.
final class SimulatedDevice {
    /// A document that a program has open for writing, over several steps of the world.
    struct Writer {
        let handle: UInt64
        let inode: InodeNumber
        let id: EntryID?
    }

    let place: DevicePlace
    private let surroundings: WorldSurroundings
    /// Of an encrypted container; nil for a plain one.
    let keys: ContainerKeys?
    private(set) var life: Life
    private var lives = 0
    /// Past lives, which the end of the world must still release.
    private var ended: [Life] = []
    var writers: [Writer] = []
    /// Whether the last action was the removal of a document that a program has open.
    var mayUndoRemoval = false
    /// Whether the device is cut off from the store.
    var isPartitioned = false

    /// - Parameter kept: what it keeps of the container's keys at first.
    init(_ place: DevicePlace, _ kept: KeptKeys?, _ surroundings: WorldSurroundings) throws {
        self.place = place
        self.surroundings = surroundings
        try FileManager.default.createDirectory(atPath: place.path, withIntermediateDirectories: true)
        keys = kept.map { .inMemory($0) }
        life = try Life(place, number: place.device * 1000, keys: keys, surroundings)
    }

    var index: Int { place.device }
    var library: Library { life.library }

    /// Kills the device and starts it again.
    func crash() throws {
        try life.crash()
        try restart()
    }

    /// Unmounts the device and mounts it again.
    func remount() throws {
        for writer in writers { library.close(writer.handle) }
        try life.close()
        try restart()
    }

    private func restart() throws {
        surroundings.network.bury(life: life.number)
        surroundings.clock.bury(life: life.number)
        writers = []
        ended.append(life)
        lives += 1
        life = try Life(place, number: place.device * 1000 + lives, keys: keys, surroundings)
    }

    /// Ends all waiting tasks.
    func dismantle() {
        try? life.crash()
        for life in ended + [life] {
            life.abandon()
            surroundings.clock.wake(life: life.number)
        }
    }
}
