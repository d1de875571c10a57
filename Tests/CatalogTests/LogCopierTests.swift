@testable import Catalog
import Documents
import Foundation
import Synchronization
import Testing
import TestSupport

/// The write-ahead log is copied while others read and write.
@Suite(.timeLimit(.minutes(15)))
struct LogCopierTests {
    private static func length(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    /// How often the log was begun anew: a number in its header ("The Database File Format", 4.1).
    private static func beginnings(_ path: String) throws -> UInt32 {
        let file = try #require(FileHandle(forReadingAtPath: path + "-wal"))
        defer { try? file.close() }
        let header = try #require(try file.read(upToCount: 16))
        return header.dropFirst(12).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func fill(_ catalog: Catalog, _ names: Range<Int>, waits: Bool = false) throws {
        for number in names {
            try catalog.write { transaction in
                if waits { transaction.durability = .soon }
                _ = try transaction.insert(.document("\(number)", filename: "\(number)"))
            }
            // Between two requests a thread writes a few rows of those that wait, and does not commit them.
            if waits { catalog.writeSomeWaiting() }
        }
    }

    @Test(arguments: [false, true])
    func `a log that has become long is copied without a quiet moment, and begins anew`(waits: Bool) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let unfinished = Mutex<[String]>([])
            let never: Catalog.Scheduler = { _ in }
            let catalog = try Catalog(path: path, scheduler: waits ? never : nil, longestLog: 1 << 20)
            catalog.setListener(
                Catalog.Listener(
                    happened: { _ in }, failed: { _ in }, delayed: { _ in },
                    logNotCopied: { error in unfinished.withLock { $0.append("\(error)") } }))
            try Self.fill(catalog, 0..<1)
            let before = try Self.beginnings(path)
            var count = 1
            let end = ContinuousClock.now + .seconds(120)
            while try Self.beginnings(path) == before, unfinished.withLock(\.isEmpty) {
                try #require(ContinuousClock.now < end, "the log never began anew")
                try Self.fill(catalog, count..<count + 100, waits: waits)
                count += 100
                // Rows that wait are written 4,000 at a time; others make the log grow meanwhile.
                if waits { try catalog.write { try $0.set(.deviceName, "\(count)") } }
            }
            #expect(unfinished.withLock(\.self).isEmpty)
            try catalog.writeWaiting()
            try catalog.abandon()
            let again = try Catalog(path: path)
            #expect(try again.read { try $0.children(of: .local).count } == count)
            try again.close()
            #expect(try Catalog.damage(at: path).isEmpty)
        }
    }

    @Test func `commits go on while the log is copied, and none is lost`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let catalog = try Catalog(path: path)
            let before = try Self.length(path)
            let isOver = Atomic<Bool>(false)
            defer { isOver.store(true, ordering: .releasing) }
            let copies = Atomic<Int>(0)
            let copying = Thread {
                while !isOver.load(ordering: .acquiring) {
                    do { if try catalog.log.copy() != nil { copies.add(1, ordering: .relaxed) } } catch {
                        Issue.record(error)
                        return
                    }
                }
            }
            copying.start()
            var count = 0
            let end = ContinuousClock.now + .seconds(120)
            while copies.load(ordering: .relaxed) < 50 || count < 1000 {
                try #require(ContinuousClock.now < end, "the log was copied \(copies.load(ordering: .relaxed)) times")
                try Self.fill(catalog, count..<count + 10)
                count += 10
            }
            #expect(try Self.length(path) > before)
            #expect(try catalog.read { try $0.children(of: .local).count } == count)
            try catalog.abandon()
            let again = try Catalog(path: path)
            #expect(try again.read { try $0.children(of: .local).count } == count)
            try again.close()
        }
    }

    @Test func `a closed one copies no more`() throws {
        try withTemporaryFolder { folder in
            let catalog = try Catalog(path: folder + "/catalog")
            #expect(try catalog.log.copy() != nil)
            try catalog.close()
            #expect(try catalog.log.copy() == nil)
        }
    }
}
