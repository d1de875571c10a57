@testable import Backing
import Foundation
import TestSupport
import Testing

/// What the file `lock` says of the docfs that holds a store, and how long a mount waits for its end.
@Suite(.timeLimit(.minutes(15)))
struct StoreHolderTests {
    /// A process that goes on until it is killed. It stands for another docfs.
    private static func withProcess(_ body: (Process) throws -> Void) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["1000"]
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try body(process)
    }

    private static func start(of process: Process) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
        return String(text.split(separator: ")").last!.split(separator: " ")[19])
    }

    @Test func `a holder is read as it was written`() throws {
        let holder = StoreHolder(isEnding: true)
        #expect(StoreHolder(holder.text) == holder)
        #expect(holder.process == getpid())
        #expect(StoreHolder(StoreHolder(isEnding: false).text)?.isEnding == false)
        #expect(StoreHolder("") == nil)
        #expect(StoreHolder("ending") == nil)
    }

    @Test func `a process that serves will not soon be gone, one that ends will`() throws {
        try Self.withProcess { process in
            let identity = "\(process.processIdentifier) \(try Self.start(of: process))"
            #expect(StoreHolder(identity)?.willSoonBeGone == false)
            #expect(StoreHolder(identity + " ending")?.willSoonBeGone == true)
            // Another process had the number before.
            #expect(StoreHolder("\(process.processIdentifier) 1 ending")?.willSoonBeGone == false)
        }
    }

    @Test func `a process that is gone is not waited for`() throws {
        var identity = ""
        try Self.withProcess { identity = "\($0.processIdentifier) \(try Self.start(of: $0)) ending" }
        #expect(StoreHolder(identity)?.willSoonBeGone == false)
    }

    @Test func `a mount waits until a holder that ends is gone`() throws {
        try withTemporaryFolder { folder in
            try Self.withProcess { process in
                let identity = "\(process.processIdentifier) \(try Self.start(of: process)) ending"
                try Data(identity.utf8).write(to: URL(filePath: folder + "/lock"))
                let isOver = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    StoreLock.waitForEndingHolder(path: folder)
                    isOver.signal()
                }
                #expect(isOver.wait(timeout: .now() + .milliseconds(200)) == .timedOut)
                kill(process.processIdentifier, SIGKILL)
                #expect(isOver.wait(timeout: .now() + .seconds(120)) == .success)
            }
        }
    }
}
