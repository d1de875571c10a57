@testable import Filesystem
import Testing

/// Thumbnailers and crawlers, told by the words with which they are started.
struct CallingProgramTests {
    @Test(arguments: [
        ["/usr/bin/gdk-pixbuf-thumbnailer", "-s"], ["ffmpegthumbnailer"], ["/usr/libexec/tracker-extract-3"],
        ["/usr/lib/x86_64-linux-gnu/tumbler-1/tumblerd"], ["/usr/bin/baloo_file_extractor"],
        ["/usr/bin/python3", "/usr/bin/gnome-epub-thumbnailer"], ["python3.11", "gnome-mobi-thumbnailer"],
        [
            "/usr/lib/x86_64-linux-gnu/libexec/kf5/kioslave5",
            "/usr/lib/x86_64-linux-gnu/qt5/plugins/kf5/kio/thumbnail.so",
        ],
    ])
    func `programs that look through all files`(command: [String]) {
        #expect(CallingProgram.isCrawler(command))
    }

    @Test(arguments: [
        [], [""], ["cat", "gdk-pixbuf-thumbnailer"], ["/usr/bin/nautilus"], ["eog", "thumbnail.so"], ["python3"],
        ["python3", "thumbnails.py"], ["/usr/lib/x86_64-linux-gnu/libexec/kf5/kioslave5", "/usr/lib/kf5/kio/file.so"],
        ["/tmp/thumbnailer/cat", "Photo.jpg"], ["thumbnailers"],
    ])
    func `programs of people`(command: [String]) {
        #expect(!CallingProgram.isCrawler(command))
    }

    @Test func `a thread that is not known, or gone, is a person's`() {
        for thread: Int32 in [0, -1, .max] { #expect(!CallingProgram.isCrawler(ofThread: thread)) }
    }
}
