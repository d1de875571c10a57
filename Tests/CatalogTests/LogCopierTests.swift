@testable import Catalog
import Documents
import Foundation
import GRDB
import Synchronization
import Testing
import TestSupport

/// The write-ahead log is copied while others read and write.
struct LogCopierTests {
    private static func length(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private static func fill(_ catalog: Catalog, _ names: Range<Int>) throws {
        for number in names {
            _ = try catalog.write { try $0.insert(.document("\(number)", filename: "\(number)")) }
        }
    }

    @Test func `a log that has become long is copied without a quiet moment, and begins anew`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let catalog = try Catalog(path: path, longestLog: 1 << 20)
            let before = try Self.length(path)
            let unfinished = Mutex<[String]>([])
            catalog.setListener(
                .init(
                    happened: { _ in }, failed: { _ in },
                    unfinished: { error in unfinished.withLock { $0.append("\(error)") } },
                    delayed: { _ in }))
            var count = 0
            // Each commit is some pages long: without copies the log has them all.
            while try Self.length(path) == before || Self.length(path + "-wal") < 2 << 20 {
                try #require(count < 50_000, "it was never copied")
                try Self.fill(catalog, count..<count + 100)
                count += 100
            }
            let length = try Self.length(path + "-wal")
            try Self.fill(catalog, count..<count + 2000)
            #expect(try Self.length(path + "-wal") < length + (4 << 20), "it never began anew")
            #expect(unfinished.withLock(\.self).isEmpty)
            try catalog.abandon()
            let again = try Catalog(path: path)
            #expect(try again.read { try $0.children(of: .local).count } == count + 2000)
            try again.close()
            #expect(try Catalog.damage(at: path).isEmpty)
        }
    }

    @Test func `commits go on while the log is copied, and none is lost`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/catalog"
            let catalog = try Catalog(path: path)
            let isOver = Atomic<Bool>(false)
            let copies = Atomic<Int>(0)
            let copying = Thread {
                while !isOver.load(ordering: .acquiring) {
                    do { if try catalog.log.copy() != nil { copies.add(1, ordering: .relaxed) } } catch {
                        Issue.record(error)
                    }
                }
            }
            copying.start()
            var count = 0
            while copies.load(ordering: .relaxed) < 50 || count < 1000 {
                try Self.fill(catalog, count..<count + 10)
                count += 10
            }
            isOver.store(true, ordering: .releasing)
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
