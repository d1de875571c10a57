import Foundation
import Glibc
import MountSupport
import Synchronization
import SystemPackage
import Testing

/// A program that watches a folder and writes a line for each event, for as long as this object lives.
final class Watcher: Sendable {
    private let output: FilePath
    private let complaints: FilePath
    /// When the write end closes, the shell at the other end ends the program.
    private let leash = Mutex<Pipe?>(nil)

    /// inotifywait, for what people call changes: `EVENTS PATH` with the path from the folder on.
    static func inotifywait(_ folder: FilePath, notes: FilePath) async throws -> Watcher {
        let watcher = try Watcher(
            [
                "inotifywait", "-m", "-r", "-e", "create,modify,close_write,move,delete", "--format", "%e %w%f",
                folder.string,
            ],
            notes: notes, folder: folder)
        try await watcher.wait { $0.complaints.contains("Watches established") }
        return watcher
    }

    /// The library watchdog of Python: `KIND PATH`, and of a move `moved PATH NEW-PATH`.
    static func watchdog(_ folder: FilePath, notes: FilePath) async throws -> Watcher {
        let watcher = try Watcher(
            [python.string, "-u", "-c", watchdogProgram, folder.string], notes: notes, folder: folder)
        try await watcher.wait { $0.events.contains("ready") }
        return watcher
    }

    static var canRunWatchdog: Bool { access(python.string, X_OK) == 0 }

    private static let python =
        FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
        .removingLastComponent() / ".build/python/bin/python3"

    private static let watchdogProgram = """
        import sys, threading
        from watchdog.observers import Observer
        from watchdog.events import FileSystemEventHandler
        class Printer(FileSystemEventHandler):
            def on_any_event(self, event):
                print(event.event_type, event.src_path, *filter(None, [event.dest_path]))
        observer = Observer()
        observer.schedule(Printer(), sys.argv[1], recursive=True)
        observer.start()
        print("ready")
        threading.Event().wait()
        """

    private let folder: FilePath

    private init(_ command: [String], notes: FilePath, folder: FilePath) throws {
        let name = UUID().uuidString
        (output, complaints) = (notes / "\(name).out", notes / "\(name).err")
        self.folder = folder
        let pipe = Pipe()
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/bash")
        let script = #""$@" >"$0.out" 2>"$0.err" & cat; kill -KILL $!"#
        shell.arguments = ["-c", script, (notes / name).string] + command
        shell.standardInput = pipe.fileHandleForReading
        try shell.run()
        leash.withLock { $0 = pipe }
    }

    deinit { try? leash.withLock { $0 }?.fileHandleForWriting.close() }

    private func wait(_ condition: ((events: [String], complaints: String)) -> Bool) async throws {
        try await eventually { condition((try events, try complaints.text())) }
    }

    /// The lines so far, with paths relative to the folder.
    var events: [String] {
        get throws {
            try output.text().split(separator: "\n").map {
                String($0.replacing(folder.string + "/", with: "").replacing(folder.string, with: "."))
            }
        }
    }

    /// Waits for an event, and returns all events so far.
    func events(until last: String) async throws -> [String] {
        var heard: [String] = []
        try await eventually {
            heard = try events
            return heard.contains(last)
        }
        return heard
    }
}
