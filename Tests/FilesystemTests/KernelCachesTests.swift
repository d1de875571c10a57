import Documents
import Catalog
import Dispatch
@testable import Filesystem
import Library
import Synchronization
import Testing

/// The notifications to the kernel after changes, and their order.
struct KernelCachesTests {
    private static let folder = InodeNumber(100)
    private static let other = InodeNumber(200)

    private let kernel = KernelSpy(knowing: [folder])
    private let streams = FolderStreams()
    private let shown = Shown()
    private let wakes = Wakes()
    private let polls: StatePolls
    private let caches: KernelCaches

    private final class Shown: Sendable {
        let changes = Mutex<[RemoteChange]>([])
    }

    private final class Wakes: Sendable {
        let count = Atomic<Int>(0)
    }

    init() {
        polls = StatePolls { [wakes] _ in
            wakes.count.add(1, ordering: .relaxed)
        } destroy: { _ in
        }
        caches = Self.caches(kernel, streams, polls, shown, patience: .milliseconds(100))
    }

    private static func caches(
        _ kernel: KernelSpy, _ streams: FolderStreams, _ polls: StatePolls, _ shown: Shown,
        patience: DispatchTimeInterval
    ) -> KernelCaches {
        KernelCaches(kernel: kernel, folderStreams: streams, statePolls: polls, patience: patience) { change, expire in
            shown.changes.withLock { $0.append(change) }
            for place in change.paths { expire(place.entry.name, place.entry.folder) }
        }
    }

    @Test func `a name that changed is expired, and then the listing of its folder forgotten`() {
        caches.nameChanged("a.txt", in: Self.folder)
        caches.drain()
        #expect(kernel.notifications == [.expired("a.txt", Self.folder), .forgotListing(Self.folder)])
    }

    @Test func `a request that changes a name goes on while the kernel waits for its folder`() {
        kernel.folderLock.wait()
        caches.nameChanged("a.txt", in: Self.folder)
        #expect(kernel.notifications.isEmpty)
        kernel.folderLock.signal()
        caches.drain()
        #expect(kernel.notifications.count == 2)
    }

    @Test func `attributes and listings are forgotten before the request ends`() {
        caches.attributesChanged(of: Self.other)
        caches.listingChanged(of: Self.folder)
        caches.askForNamesAgain()
        #expect(kernel.notifications == [.forgotAttributes(Self.other), .forgotListing(Self.folder), .expiredAll])
    }

    @Test func `a listing that changes is not shown again`() {
        let (stream, _) = streams.open(Self.folder)
        streams[stream] = .init(names: [], parent: 1)
        streams.reachEnd(stream)
        _ = streams.close(stream)
        caches.listingChanged(of: Self.folder)
        #expect(!streams.open(Self.folder).1.reuses)
    }

    @Test func `who must, waits until names are expired`() {
        let caches = Self.caches(kernel, streams, polls, shown, patience: .seconds(120))
        for number in 0..<20_000 { caches.nameChanged("\(number)", in: Self.folder) }
        caches.waitUntilNamesAreForgotten()
        #expect(kernel.notifications.count == 40_000)
    }

    @Test func `that wait ends although the kernel waits for the folder of the request`() {
        kernel.folderLock.wait()
        caches.nameChanged("a.txt", in: Self.folder)
        caches.waitUntilNamesAreForgotten()
        #expect(kernel.notifications.isEmpty)
        kernel.folderLock.signal()
        caches.drain()
    }

    @Test func `work that must follow the expiry of names follows it`() {
        let seen = Mutex<[KernelSpy.Notification]>([])
        caches.nameChanged("a.txt", in: Self.folder)
        caches.whenNamesAreForgotten { [kernel] in seen.withLock { $0 = kernel.notifications } }
        caches.drain()
        #expect(seen.withLock { $0 }.first == .expired("a.txt", Self.folder))
    }

    @Test func `a remote change is shown after its names are expired, and what shows it can expire them again`() {
        let change = RemoteChange.created(.document("a.txt", in: Self.folder))
        caches.nameChanged("a.txt", in: Self.folder)
        caches.tellWatchers(of: [change])
        caches.drain()
        #expect(shown.changes.withLock { $0 } == [change])
        #expect(
            kernel.notifications == [
                .expired("a.txt", Self.folder), .forgotListing(Self.folder), .forgotAttributes(Self.folder),
                .expired("a.txt", Self.folder),
            ])
    }

    @Test func `a remote change in a folder that the kernel does not know is shown to nobody`() {
        caches.tellWatchers(of: [.removed(.document("a.txt", in: Self.other))])
        caches.drain()
        #expect(shown.changes.withLock { $0.isEmpty })
    }

    @Test func `a move is shown if the kernel knows one of the two folders, and each folder is asked for once`() {
        let changes = [1, 2].map { number in
            RemoteChange.moved(
                from: .document("\(number)", in: Self.other), to: .document("\(number)", in: Self.folder))
        }
        caches.tellWatchers(of: changes)
        caches.drain()
        #expect(shown.changes.withLock { $0 } == changes)
        let asked = kernel.notifications.filter { if case .forgotAttributes = $0 { true } else { false } }
        #expect(asked == [.forgotAttributes(Self.other), .forgotAttributes(Self.folder)])
    }

    @Test func `a changed state wakes those who poll`() throws {
        caches.stateChanged()
        caches.drain()
        #expect(wakes.count.load(ordering: .relaxed) == 0)
        polls.add(try #require(OpaquePointer(bitPattern: 1)), for: 7)
        caches.stateChanged()
        caches.drain()
        #expect(wakes.count.load(ordering: .relaxed) == 1)
    }
}
