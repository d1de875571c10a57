import Foundation
import Glibc
import MountSupport
import Synchronization
import SystemPackage
import TestSupport

/// One person at one device: makes, reads, saves, renames and removes documents of the cloud, until told to stop. Every failure is
/// borne: what did not succeed may have happened or not.
///
/// It runs on a thread of its own, since its system calls wait for the network.
final class CloudWorker: Sendable {
    let device: Device
    private let ledger: SaveLedger
    private let generator: Mutex<SeededGenerator>
    private let hasStopped = Mutex(false)
    private let isolation = Mutex<ContinuousClock.Instant?>(nil)
    private let count = Mutex(0)
    /// Half of the time for which docfs remembers a version that was let go of: the call takes time, too.
    private static let haste = Duration.milliseconds(2500)
    private let late = Mutex(0)
    /// Contents that are not whole, as they were read.
    let torn = Mutex<[String]>([])

    init(_ device: Device, _ ledger: SaveLedger, seed: UInt64) {
        self.device = device
        self.ledger = ledger
        generator = Mutex(SeededGenerator(seed: seed))
    }

    /// How often a program had let go of what it read for too long, and did not save.
    var givenUp: Int { late.withLock(\.self) }

    /// Tells it that its device has lost its connection, or has it again.
    func setIsolated(_ isIsolated: Bool) { isolation.withLock { $0 = isIsolated ? ContinuousClock.now : nil } }

    func stop() { hasStopped.withLock { $0 = true } }

    func run() async {
        await withCheckedContinuation { continuation in
            let thread = Thread { [self] in
                while !hasStopped.withLock(\.self) {
                    do { try act() } catch { Thread.sleep(forTimeInterval: 0.02) }
                }
                continuation.resume()
            }
            thread.start()
        }
    }

    private func random(_ range: Range<Int>) -> Int { generator.withLock { Int.random(in: range, using: &$0) } }

    private func newSave(from base: Save?) -> Save {
        let number = count.withLock { count in
            count += 1
            return count
        }
        // Most are small; some need several parts.
        let length = random(0..<10) == 0 ? random(0..<3_000_000) : random(0..<20_000)
        return Save(token: "\(device.name)-\(number)", base: base?.token, length: length)
    }

    private func act() throws {
        let documents = try device.cloud.entries().filter { $0.type == UInt8(DT_REG) && $0.name.hasSuffix(".txt") }
        guard documents.count >= 3 else { return try create() }
        let path = device.cloud / documents[random(0..<documents.count)].name
        switch random(0..<20) {
        case 0..<3 where documents.count < 30: try create()
        case 3..<9: try saveByRenaming(path)
        case 9..<13: try saveInPlace(path)
        case 13..<15: try path.rename(to: device.cloud / "\(device.name) \(random(0..<1000)).txt", .noReplace)
        case 15: try remove(path)
        case 16: try discardConflict(of: path)
        default: _ = try read(path)
        }
    }

    private func create() throws {
        let save = newSave(from: nil)
        ledger.begin(save, replacing: .inPlace)
        let file = try (device.cloud / "\(save.token).txt").open(.writeOnly, [.create, .exclusiveCreate])
        try file.write(save.content)
        try file.close()
        ledger.succeed(save)
    }

    private func read(_ path: FilePath) throws -> Save { try whole(try path.bytes(), path) }

    private func whole(_ content: [UInt8], _ path: FilePath) throws -> Save {
        if let save = Save.parse(content) { return save }
        // A save in place begins with an empty file.
        if !content.isEmpty {
            torn.withLock {
                $0.append("\(path): \(content.count) bytes, \(String(decoding: content.prefix(60), as: UTF8.self))")
            }
        }
        throw Errno.resourceTemporarilyUnavailable
    }

    /// The program lets go of what it has read before it saves. Another device's save is safe from it for five seconds, and while docfs
    /// runs (Semantics, "Saving"): later, and after a kill, it gives up.
    private func saveByRenaming(_ path: FilePath) throws {
        guard let name = path.lastComponent else { return }
        // The open folder is of this mount: after a kill it leads nowhere, while the path leads to the next mount.
        let opened = try device.cloud.open(.readOnly, .directory)
        defer { withExtendedLifetime(opened) {} }
        let folder = FilePath("/proc/self/fd/\(opened.descriptor.rawValue)")
        let document = folder / name.string
        let content = try document.bytes()
        let closed = ContinuousClock.now
        let save = newSave(from: try whole(content, path))
        let temporary = folder / ".goutputstream-\(save.token)"
        let file = try temporary.open(.writeOnly, [.create, .exclusiveCreate])
        try file.write(save.content)
        try file.close()
        guard ContinuousClock.now - closed < Self.haste else {
            late.withLock { $0 += 1 }
            return try temporary.remove()
        }
        ledger.begin(save, replacing: .atOnce)
        try temporary.rename(to: document)
        ledger.succeed(save)
    }

    /// The program holds the document open from reading it to writing it, so it saves over what it has read.
    private func saveInPlace(_ path: FilePath) throws {
        let file = try path.open(.readWrite)
        let save = newSave(from: try whole(try file.readAll(), path))
        ledger.begin(save, replacing: .inPlace)
        try file.truncate(to: 0)
        try file.write(save.content, at: 0)
        try file.close()
        ledger.succeed(save)
    }

    private func remove(_ path: FilePath) throws {
        let current = try read(path)
        let conflicts = try FilePath(path.string + ".conflicts").listing().map {
            try read(FilePath(path.string + ".conflicts") / $0)
        }
        try ledger.remove(
            current, seen: [current] + conflicts, on: device.name, isolatedSince: isolation.withLock(\.self)
        ) { try path.remove() }
    }

    private func discardConflict(of path: FilePath) throws {
        let folder = FilePath(path.string + ".conflicts")
        guard let name = try folder.listing().first else { return }
        let save = try read(folder / name)
        ledger.discard(save)
        try (folder / name).remove()
    }
}
