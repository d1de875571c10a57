@testable import docfs
import Testing

struct MountNewsTests {
    @Test func `who joins a container that nobody has written to is told so`() {
        #expect(MountNews.text(ofJoined: nil).hasPrefix("Nothing has ever been changed in the cloud."))
    }

    @Test func `what a mount tells goes from process to process`() {
        var news = MountNews()
        #expect(news.lines.isEmpty)
        news.joined = MountNews.textOfUnknown
        let read = MountNews(news.lines.split(separator: "\n"))
        #expect(read.joined == news.joined && read.recoveryKey == nil)
    }
}
