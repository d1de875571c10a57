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
            and follows every change. Documents can be downloaded, kept, renamed, moved, deleted and saved elsewhere there, one or several at once, and \
            actions undone and done again. Conflicts are solved there, versions compared and restored, contents looked at, and files dropped. \
            In its edit mode new documents are made, and rows dragged. \
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
            EndingSignals.hold()
            let mount = try MountedTree(holdingOrNearest: path)
            let table = LiveTable()
            let follower = try TableFollower(mount, table)
            let ending = Ending()
            let signals = EndingSignals.handle { ending.end(.signal($0)) }
            let server = try BrowseServer(table: table, mount: BrowsedDocuments(mount, follower))
            let folder = try PrivateFolder()
            Thread.detachNewThread {
                do { try follower.run() } catch { ending.end(.failure(error)) }
            }
            let serving = Task {
                do {
                    try await server.run(in: folder.path) {
                        do {
                            try Output.line(server.address)
                            if !noOpen { try folder.open(server.address) }
                        } catch { ending.end(.failure(error)) }
                    }
                } catch { ending.end(.failure(error)) }
            }
            let reason = ending.wait()
            serving.cancel()
            server.clean()
            folder.remove()
            switch reason {
            case .failure(let error): throw error
            case .signal(let number):
                for source in signals { source.cancel() }
                EndingSignals.end(by: number)
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
