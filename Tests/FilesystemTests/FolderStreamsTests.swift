import Catalog
@testable import Filesystem
import Testing

struct FolderStreamsTests {
    @Test func `a stream that was open when its folder changed is overtaken`() {
        let streams = FolderStreams()
        let first = streams.open(.local)
        let second = streams.open(.local)
        let other = streams.open(.cloud)
        let virtual = streams.open(nil)
        #expect(streams.close(first) == nil)
        streams.overtake(.local)
        let later = streams.open(.local)
        #expect(streams.close(second) == .local)
        for stream in [other, virtual, later] { #expect(streams.close(stream) == nil) }
    }

    @Test func `a stream is closed once`() {
        let streams = FolderStreams()
        let stream = streams.open(.local)
        streams.overtake(.local)
        #expect(streams.close(stream) == .local)
        #expect(streams.close(stream) == nil)
        #expect(streams[stream] == nil)
    }
}
