import Replication
import Backing
import Catalog
import Dispatch
import Documents
import Foundation
import Glibc
@testable import CloudSynchronization
@testable import Library
import ObjectStore
import Synchronization
import SystemPackage
import Testing
import TestSupport

/// Content that arrives while it is opened, read or replaced.
@Suite(.timeLimit(.minutes(15)))
struct ArrivalTests {
    /// More chunks than are downloaded at a time.
    private static let content = pattern((5 << 20) + 17)

    /// A document of which the first chunk has arrived at the phone, and a handle there that reads it.
    private struct Film {
        let laptop: TestDevice
        let phone: TestDevice
        let inode: InodeNumber
        let reader: UInt64
        let arrival: Arrival

        /// Makes the download fail.
        func fail(byCancelling isCancelled: Bool) async throws {
            if isCancelled { arrival.cancel() }
            phone.cloud.release(failing: isCancelled ? nil : .unreachable("no route to host"))
            let refusal = await #expect(throws: Refusal.self) { try await arrival.waitUntilInstalled() }
            #expect(refusal?.errno == (isCancelled ? .interrupted : .noRouteToHost))
            phone.cloud.release()
        }
    }

    private static func withFilm(_ body: (Film) async throws -> Void) async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Film.bin", bytes: content)
            try await laptop.push()
            try await phone.pull()
            phone.cloud.hold(from: 1)
            let inode = try phone.inode("Film.bin")
            let reader = try await phone.open(inode)
            await phone.cloud.waitUntilHolding(4)
            let arrival = try #require(try phone.library.arrivals.arrival(of: inode))
            try await body(Film(laptop: laptop, phone: phone, inode: inode, reader: reader, arrival: arrival))
        }
    }

    @Test func `a content that the cloud refuses to give is EACCES, and not a cloud out of reach`() async throws {
        try await withPlanElsewhere { _, phone in
            let inode = try phone.inode("Plan.txt")
            phone.cloud.hold()
            let opening = Task { try await phone.open(inode) }
            await phone.cloud.waitUntilHolding()
            phone.cloud.release(failing: .unauthorized("AccessDenied"))
            let refusal = await #expect(throws: Refusal.self) { try await opening.value }
            #expect(refusal?.errno == .permissionDenied)
            phone.cloud.release()
            _ = phone.connection.set(.unauthorized("AccessDenied"))
            let known = await #expect(throws: Refusal.self) { try await phone.open(inode) }
            #expect(known?.errno == .permissionDenied)
            _ = phone.connection.set(.online)
            #expect(try await phone.text("Plan.txt") == "first version")
        }
    }

    /// The arrivals that several threads get which ask for them at the same time.
    private static func arrivals(of inode: InodeNumber, in library: Library) -> [Arrival] {
        let arrivals = Mutex<[Arrival]>([])
        let arrived = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        // They find that nothing is arriving, and then wait for the catalog.
        try? library.store.catalog.read { _ in
            for _ in 1...8 {
                done.enter()
                Thread.detachNewThread {
                    arrived.signal()
                    if let arrival = try? library.arrivals.arrival(of: inode) {
                        arrivals.withLock { $0.append(arrival) }
                    }
                    done.leave()
                }
            }
            for _ in 1...8 { arrived.wait() }
            for _ in 1...100 { sched_yield() }
        }
        done.wait()
        return arrivals.withLock { $0 }
    }

    /// tar takes another time of change for a change while it reads.
    @Test func `an arrival does not move the time of change, and the next change does`() async throws {
        try await withPlanElsewhere { _, phone in
            let before = try phone.library.attributes(of: .entry(phone.inode("Plan.txt")))
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            #expect(try phone.entry("Plan.txt").isHere)
            #expect(try phone.library.attributes(of: .entry(phone.inode("Plan.txt"))).changed == before.changed)
            try phone.evict("Plan.txt")
            #expect(try phone.library.attributes(of: .entry(phone.inode("Plan.txt"))).changed == before.changed)
            try await phone.library.waitForContent(of: phone.inode("Plan.txt"))
            phone.advance(seconds: 1)
            try phone.change(phone.inode("Plan.txt")) { $0.mode = 0o600 }
            #expect(try phone.library.attributes(of: .entry(phone.inode("Plan.txt"))).changed > before.changed)
        }
    }

    @Test func `callers that open a document that is not here at the same time share one download`() async throws {
        try await withTwoDevices { laptop, phone in
            let names = (1...10).map { "\($0).txt" }
            for name in names { try laptop.create(name, "content of \(name)") }
            try await laptop.push()
            try await phone.pull()
            phone.cloud.hold()
            for name in names {
                let all = Self.arrivals(of: try phone.inode(name), in: phone.library)
                #expect(all.count == 8)
                #expect(Set(all.map(ObjectIdentifier.init)).count == 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: phone.store + "/staging").count == names.count)
            phone.cloud.release()
            for name in names {
                try await phone.library.waitForContent(of: phone.inode(name))
                #expect(try await phone.text(name) == "content of \(name)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `a document can be replaced after its download failed for a reader, and the reader sees nothing of it`(
        isCancelled: Bool
    ) async throws {
        try await Self.withFilm { film in
            try await film.fail(byCancelling: isCancelled)
            let phone = film.phone
            let writer = try phone.opened(try phone.library.open(film.inode, flags: O_WRONLY | O_TRUNC))
            try phone.write("replaced", to: writer)
            let old = try phone.library.handle(film.reader).descriptor
            #expect(try old.readPrefix(1000) == Array(Self.content.prefix(1000)))
            phone.library.close(film.reader)
            #expect(phone.library.openFiles.isOpenForWriting(film.inode))
            phone.library.close(writer)
            #expect(try await phone.text("Film.bin") == "replaced")
            try await phone.push()
            try await film.laptop.pull()
            #expect(try await film.laptop.text("Film.bin") == "replaced")
            #expect(try film.laptop.entry("Film.bin").conflicts == 0)
            #expect(try phone.entry("Film.bin").error == nil)
        }
    }

    @Test(arguments: [false, true])
    func `an open after a failed download starts it anew`(isCancelled: Bool) async throws {
        try await Self.withFilm { film in
            try await film.fail(byCancelling: isCancelled)
            let phone = film.phone
            #expect(try await phone.bytes("Film.bin") == Self.content)
            // An edit starts from the content that has arrived.
            try await phone.library.waitForContent(of: film.inode)
            let writer = try await phone.open(film.inode, O_WRONLY)
            try phone.write("THE END", to: writer, at: Int64(Self.content.count))
            phone.library.close(writer)
            phone.library.close(film.reader)
            let edited = Self.content + Array("THE END".utf8)
            #expect(try await phone.bytes("Film.bin") == edited)
            try await phone.push()
            try await film.laptop.pull()
            #expect(try await film.laptop.bytes("Film.bin") == edited)
        }
    }

    @Test func `a truncation waits for the content while a handle reads it`() async throws {
        try await Self.withFilm { film in
            let phone = film.phone
            #expect(try phone.library.mustArriveToTruncate(film.inode, to: 0))
            #expect(throws: Refusal.contentNotHere) { try phone.change(film.inode) { $0.size = 0 } }
            guard case .arriving(let inode) = try phone.library.open(film.inode, flags: O_WRONLY | O_TRUNC) else {
                Issue.record("the content went while somebody read it")
                return
            }
            let opening = Task { try await phone.library.finishOpening(inode, flags: O_WRONLY | O_TRUNC) }
            phone.cloud.release()
            // All of it arrives: the truncation waits until the reader has it.
            try await phone.library.waitForBytes(phone.library.handle(film.reader), from: 0, count: Self.content.count)
            let writer = try await opening.value.number
            try phone.write("replaced", to: writer)
            phone.library.close(writer)
            phone.library.close(film.reader)
            #expect(try await phone.text("Film.bin") == "replaced")
        }
    }

    @Test func `waiting for content that has arrived meanwhile returns at once`() async throws {
        try await Self.withFilm { film in
            let phone = film.phone
            phone.cloud.release()
            try await film.arrival.waitUntilInstalled()
            phone.cloud.hold()
            #expect(try phone.library.arrivals.arrival(of: film.inode) == nil)
            try await phone.library.waitForContent(of: film.inode)
            for flags in [O_RDONLY, O_RDWR] {
                let number = try await phone.library.finishOpening(film.inode, flags: flags).number
                #expect(try await phone.bytes(of: number) == Self.content)
                phone.library.close(number)
            }
        }
    }

    @Test func `content that is arriving says how large it will be, since its file has holes`() async throws {
        try await Self.withFilm { film in
            let phone = film.phone
            #expect(try phone.library.handle(film.reader).arrivingSize == Int64(Self.content.count))
            phone.cloud.release()
            try await film.arrival.waitUntilInstalled()
            #expect(try phone.library.handle(film.reader).arrivingSize == nil)
            #expect(try await phone.bytes(of: film.reader) == Self.content)
        }
    }

    // MARK: Damage

    /// Changes a byte of the one content that the cloud holds.
    private static func damageContent(in cloudFolder: String, at offset: Int) throws {
        let documents = cloudFolder + "/documents"
        let path = try #require(
            FileManager.default.subpaths(atPath: documents)?.map { documents + "/" + $0 }.first { $0.hasSuffix(".bin") }
        )
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(offset))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
    }

    @Test func `damaged content of which a part was read is downloaded anew under another inode number`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Film.bin", bytes: Self.content)
            try await laptop.push()
            try await phone.pull()
            try Self.damageContent(in: laptop.cloudFolder, at: 100)
            phone.cloud.hold(from: 1)
            let entry = try phone.entry("Film.bin")
            let reader = try await phone.open(entry.inode)
            let arrival = try #require(try phone.library.arrivals.arrival(of: entry.inode))
            let spy = ObserverSpy()
            phone.library.observer = spy
            phone.cloud.release()
            await #expect(throws: Refusal.transfer(.damaged)) { try await phone.bytes(of: reader) }
            await #expect(throws: Refusal.transfer(.damaged)) { try await arrival.waitUntilInstalled() }
            let inode = try phone.inode("Film.bin")
            #expect(inode != entry.inode)
            #expect(spy.hasHeard(of: entry.filename, in: .cloud))
            #expect(try phone.entry("Film.bin").error != nil)
            // The pause is that of the second failure.
            #expect(phone.library.transfers.retries.failed(inode) == .seconds(2))
            try Self.damageContent(in: laptop.cloudFolder, at: 100)
            #expect(try await phone.bytes("Film.bin") == Self.content)
            await #expect(throws: Refusal.transfer(.damaged)) { try await phone.bytes(of: reader) }
        }
    }

    @Test func `damaged content of one chunk is never read`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Short.bin", "short")
            try await laptop.push()
            try await phone.pull()
            try Self.damageContent(in: laptop.cloudFolder, at: 1)
            let inode = try phone.inode("Short.bin")
            await #expect(throws: Refusal.transfer(.damaged)) { try await phone.open(inode) }
            #expect(!phone.library.openFiles.isOpen(inode))
            #expect(try phone.inode("Short.bin") == inode)
            try Self.damageContent(in: laptop.cloudFolder, at: 1)
            #expect(try await phone.text("Short.bin") == "short")
        }
    }

    @Test func `a failed download is told by error, and is no savingError`() async throws {
        try await withPlanElsewhere { _, phone in
            let inode = try phone.inode("Plan.txt")
            phone.cloud.hold()
            let opening = Task { try await phone.open(inode) }
            await phone.cloud.waitUntilHolding()
            phone.cloud.release(failing: .unreachable("no route to host"))
            _ = await #expect(throws: Refusal.self) { try await opening.value }
            let state = try phone.library.stateText(of: inode, waitsForCloses: false)
            #expect(state.contains("\nerror: ") && state.contains("opening it tries again"))
            #expect(state.hasPrefix("state: closed\nindicator: green\n"))
            phone.cloud.release()
            #expect(try await phone.text("Plan.txt") == "first version")
            #expect(!(try phone.library.stateText(of: inode, waitsForCloses: false)).contains("error"))
        }
    }
}
