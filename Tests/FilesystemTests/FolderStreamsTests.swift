import Catalog
import Documents
@testable import Filesystem
@testable import Library
import Testing

/// The listings that the kernel may keep and show again.
struct FolderStreamsTests {
    private let streams = FolderStreams()

    private func snapshot() -> FolderStreams.Snapshot { .init(names: [], parent: 1) }

    /// A reader who is told all of a listing by docfs.
    @discardableResult
    private func readWhole(_ folder: InodeNumber, _ snapshot: FolderStreams.Snapshot) -> InodeNumber? {
        let (stream, _) = streams.open(folder)
        streams[stream] = snapshot
        streams.reachEnd(stream)
        return streams.close(stream)
    }

    @Test func `a listing that was read whole is shown again, and goes on in the snapshot it was made from`() {
        let known = snapshot()
        readWhole(.local, known)
        let (stream, permission) = streams.open(.local)
        #expect(permission == .init(keeps: true, reuses: true))
        #expect(streams[stream] === known)
        #expect(streams.close(stream) == nil)
        // Also after a reader whom the kernel told all of it.
        #expect(streams.open(.local).1.reuses)
        #expect(!streams.open(.cloud).1.reuses)
    }

    @Test func `a listing that was read in part is not shown again`() {
        let (stream, permission) = streams.open(.local)
        #expect(permission == .init(keeps: true, reuses: false))
        streams[stream] = snapshot()
        _ = streams.close(stream)
        #expect(!streams.open(.local).1.reuses)
    }

    @Test func `who reads beside another neither keeps nor reuses a listing`() {
        readWhole(.local, snapshot())
        let (first, _) = streams.open(.local)
        let (second, permission) = streams.open(.local)
        #expect(permission == .init(keeps: false, reuses: false))
        #expect(streams[second] == nil)
        streams[second] = snapshot()
        streams.reachEnd(second)
        _ = streams.close(first)
        #expect(streams.open(.local).1 == .init(keeps: false, reuses: false))
        _ = streams.close(second)
    }

    @Test func `no listing is kept of a virtual folder`() {
        #expect(streams.open(nil).1 == .init(keeps: false, reuses: false))
    }

    @Test func `a change takes the listing away`() {
        readWhole(.local, snapshot())
        readWhole(.cloud, snapshot())
        streams.invalidate(.local)
        #expect(!streams.open(.local).1.reuses)
        #expect(streams.open(.cloud).1.reuses)
    }

    @Test func `a stream that was open when its folder changed is told of, once, and leaves no listing`() {
        let (stream, _) = streams.open(.local)
        let (other, _) = streams.open(.cloud)
        let (virtual, _) = streams.open(nil)
        streams[stream] = snapshot()
        streams.invalidate(.local)
        streams.reachEnd(stream)
        #expect(streams.close(stream) == .local)
        #expect(streams.close(stream) == nil)
        #expect(streams[stream] == nil)
        for number in [other, virtual] { #expect(streams.close(number) == nil) }
        #expect(streams.open(.local).1 == .init(keeps: true, reuses: false))
    }

    @Test func `reading from the start again is not the end that was reached before`() {
        let (stream, _) = streams.open(.local)
        streams[stream] = snapshot()
        streams.reachEnd(stream)
        streams[stream] = snapshot()
        _ = streams.close(stream)
        #expect(!streams.open(.local).1.reuses)
    }

    @Test func `a reader that comes when all others have left may keep a listing again`() {
        let (first, _) = streams.open(.local)
        let (second, _) = streams.open(.local)
        _ = streams.close(first)
        _ = streams.close(second)
        #expect(streams.open(.local).1.keeps)
    }

    @Test func `of very large folders not all listings are kept`() {
        let name = ListedName(
            name: "a", node: .entry(InodeNumber(200)), kind: .document, filename: nil, isCacheable: true)
        let large = FolderStreams.Snapshot(
            names: Array(repeating: name, count: FolderStreams.mostNames / 2 + 1), parent: 1)
        readWhole(.local, large)
        readWhole(.cloud, large)
        #expect(!streams.open(.local).1.reuses)
        #expect(streams.open(.cloud).1.reuses)
    }
}
