@testable import Filesystem
import Testing

/// The texts of open virtual files.
struct VirtualFilesTests {
    private let files = VirtualFiles()

    @Test func `each open says what held then`() {
        let first = files.add("open")
        let second = files.add("closed")
        #expect(files[first] == Array("open".utf8))
        #expect(files[second] == Array("closed".utf8))
    }

    @Test func `only the first reading from the start is the first`() {
        let file = files.add("open")
        #expect(files.beginReading(file))
        #expect(!files.beginReading(file))
        files.replaceText(of: file, by: Array("closed".utf8))
        #expect(files[file] == Array("closed".utf8))
        #expect(!files.beginReading(file))
    }

    @Test func `a file that is closed says nothing, and nothing brings it back`() {
        let file = files.add("open")
        files.remove(file)
        files.replaceText(of: file, by: Array("closed".utf8))
        #expect(files[file] == nil)
        #expect(!files.beginReading(file))
        #expect(files.add("open") != file)
    }

    @Test func `only the first writing is the first`() {
        let file = files.add("")
        #expect(files.beginWriting(file))
        #expect(!files.beginWriting(file))
        files.remove(file)
        #expect(!files.beginWriting(file))
    }
}
