import Foundation
import Glibc
import Synchronization

/// A folder that only this person can look into, for as long as the page is served: with the server's socket, and the page that leads to it.
final class PrivateFolder: Sendable {
    let path: String
    private let isRemoved = Mutex(false)

    init() throws {
        let base = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        var template = Array((base + "/docfs-browse-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("cannot make a folder in \(base): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Opens an address with the desktop's browser. The key in it must not stand in the list of processes: the browser gets a page that leads to it.
    func open(_ address: String) throws {
        let file = path + "/docfs.html"
        let page =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=\(address)\"><title>docfs</title>\n"
        try isRemoved.withLock { isRemoved in
            if isRemoved { return }
            let attributes = [FileAttributeKey.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: file, contents: Data(page.utf8), attributes: attributes)
            else { throw CommandFailure("cannot write \(file)") }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["xdg-open", file]
            process.terminationHandler = { process in
                // Without a desktop nothing opens it; the address was printed.
                if process.terminationStatus == 0 { return }
                CommandFailure.print(error: "xdg-open did not open the page; open the address above in a browser")
            }
            try process.run()
        }
    }

    /// Nothing is written there any more.
    func remove() {
        isRemoved.withLock { isRemoved in
            isRemoved = true
            // What cannot be removed is of no use to anybody: the server has ended.
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
