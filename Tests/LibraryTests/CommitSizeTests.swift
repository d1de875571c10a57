import Catalog
import Documents
import Foundation
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Replication
import Testing

/// A commit is bounded by bytes as well as by number.
@Suite(.timeLimit(.minutes(15)))
struct CommitSizeTests {
    private static func attributes(_ device: TestDevice, _ name: String, in folder: InodeNumber, bytes: Int) throws {
        let inode = try device.inode(name, in: folder)
        for number in 0..<bytes / 60_000 {
            try device.library.setExtendedAttribute(
                "user.large\(number)", to: [UInt8](repeating: UInt8(number), count: 60_000), of: .entry(inode), .either)
        }
    }

    @Test(arguments: [false, true])
    func `documents with large attributes that go into the cloud at once arrive, attributes and all`(asFolder: Bool)
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let source: InodeNumber = asFolder ? try laptop.makeFolder("Large", in: .local) : .local
            let names = (0..<110).map { "document \($0).txt" }
            for name in names {
                try laptop.create(name, name, in: source)
                try Self.attributes(laptop, name, in: source, bytes: 360_000)
            }
            if asFolder {
                try laptop.move("Large", from: .local, to: .cloud)
            } else {
                for name in names { try laptop.move(name, from: .local, to: .cloud) }
            }
            try await laptop.push()
            let sizes = try await laptop.cloud.list(ReplicatedLog.folder, after: nil, limit: 1000).map {
                try FileManager.default.attributesOfItem(atPath: laptop.cloudFolder + "/" + $0.description)[.size]
                    as? Int ?? 0
            }
            #expect(sizes.allSatisfy { $0 < 2 * CommitDraft.mostBytes })
            try await phone.pull()
            let folder: InodeNumber = asFolder ? try phone.inode("Large") : .cloud
            for name in names {
                let entry = try phone.entry(name, in: folder)
                #expect(entry.attributes?.count ?? 0 > 360_000)
            }
            #expect(try laptop.pendingCount == 0)
        }
    }
}
