import ArgumentParser
import Browse
import Foundation
import Glibc
import Synchronization

struct BrowseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Show the documents as a table in a browser.",
        discussion: """
            Serves a page on this machine only, prints its address, and opens it. The page shows what is on this computer and in the cloud, \
            and follows every change. Documents can be downloaded, kept, renamed, deleted and saved elsewhere there, and actions undone and done again. \
            Only programs of the person who started it are answered, and only with the key in the address.

            It goes on until it is interrupted (Ctrl-C; the shell then reports 130), or until the mount ends (1).

            Example: docfs browse ~/docs
            """)

    @Argument(help: "Any path in a docfs mount. (default: the nearest mount)", completion: .documents)
    var path: String?

    @Flag(help: "Print the address, and open nothing.")
    var noOpen = false

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holdingOrNearest: path)
            let table = LiveTable()
            let follower = try TableFollower(mount, table)
            let server = BrowseServer(table: table, mount: BrowsedDocuments(mount, follower))
            let ending = Ending()
            let signals = [SIGINT, SIGTERM].map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { ending.end(.signal(number)) }
                source.resume()
                return source
            }
            Thread.detachNewThread {
                do { try follower.run() } catch { ending.end(.failure(error)) }
            }
            let addressFile = Mutex<AddressFile?>(nil)
            let serving = Task {
                do {
                    try await server.run { address in
                        do {
                            try Output.line(address)
                            if !noOpen { try addressFile.withLock { $0 = try AddressFile(address) } }
                        } catch { ending.end(.failure(error)) }
                    }
                } catch { ending.end(.failure(error)) }
            }
            let reason = ending.wait()
            serving.cancel()
            addressFile.withLock { $0 = nil }
            switch reason {
            case .failure(let error as BrowseRefusal): throw CommandFailure(error.reason)
            case .failure(let error): throw error
            case .signal(let number):
                // Ends as everybody expects of a program that such a signal ends.
                for source in signals { source.cancel() }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}

/// Why the page is no longer served: the first reason counts.
private final class Ending: Sendable {
    enum Reason {
        case failure(any Error)
        case signal(Int32)
    }

    private let reason = Mutex<Reason?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    func end(_ reason: Reason) {
        self.reason.withLock { $0 = $0 ?? reason }
        isOver.signal()
    }

    func wait() -> Reason {
        while true {
            isOver.wait()
            if let reason = reason.withLock({ $0 }) { return reason }
        }
    }
}

/// Opens an address with the desktop's browser. The key in it must not stand in the list of processes: the browser gets a file that only this
/// person can read, and that leads to the address. The file is removed with this object.
private final class AddressFile: Sendable {
    private let folder: String

    init(_ address: String) throws {
        let base = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? NSTemporaryDirectory()
        var template = Array((base + "/docfs-browse-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure("cannot make a folder in \(base): \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let page =
            "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=\(address)\"><title>docfs</title>\n"
        let attributes = [FileAttributeKey.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: file, contents: Data(page.utf8), attributes: attributes) else {
            throw CommandFailure("cannot write \(file)")
        }
        var words: [UnsafeMutablePointer<CChar>?] =
            ["xdg-open", file].map { (word: String) in strdup(word) } + [nil]
        defer { words.forEach { free($0) } }
        var process: pid_t = 0
        // Without a desktop there is nothing to open it; the address was printed.
        if posix_spawnp(&process, "xdg-open", nil, nil, &words, environ) != 0 {
            CommandFailure.print(error: "xdg-open cannot be run; open the address above in a browser")
        }
    }

    private var file: String { folder + "/docfs.html" }

    deinit {
        unlink(folder + "/docfs.html")
        rmdir(folder)
    }
}
