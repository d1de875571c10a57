@testable import Filesystem
import Library
import Logging
import Synchronization
import SystemPackage
import Testing

/// The lines that say why requests are refused.
struct RefusalLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.MetadataValue? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let words = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
            lines.all.withLock { $0.append("\(event.level) \(words.joined(separator: " "))") }
        }
    }

    private let lines = Lines()

    private func log(_ level: Logger.Level) -> RefusalLog {
        RefusalLog(
            logger: Logger(label: "test") { [lines] _ in
                var handler = Handler(lines: lines)
                handler.logLevel = level
                return handler
            })
    }

    @Test func `a refusal says operation, inodes, names, error number and reason`() {
        "Plan.txt".withCString { name in
            "Trips".withCString { newName in
                let subject = RequestSubject(operation: "rename", inode: 3, name: name, newInode: 4, newName: newName)
                log(.debug).log(.nameExists) { subject.description }
            }
        }
        #expect(
            lines.all.withLock { $0 } == [
                #"debug errno=EEXIST inode=3 name="Plan.txt" newInode=4 newName="Trips" operation=rename reason=something has this name already"#
            ])
    }

    @Test func `parts that a request does not have are left out`() {
        log(.trace).log(.unknownFlags) { RequestSubject(operation: "statfs").description }
        #expect(lines.all.withLock { $0 } == ["debug errno=EINVAL operation=statfs reason=unknown flags"])
    }

    @Test func `a name cannot forge a line, and need be no UTF-8`() {
        for (name, shown) in [("a\ndebug b", #""a\ndebug b""#), ("\"", #""\"""#)] {
            let text = name.withCString { RequestSubject(operation: "lookup", name: $0).description["name"] }
            #expect(text == "\(shown)")
        }
        let bytes: [CChar] = [97, -1, 0]
        let text = bytes.withUnsafeBufferPointer {
            RequestSubject(operation: "lookup", name: $0.baseAddress).description["name"]
        }
        #expect(text == "\"a\u{FFFD}\"")
    }

    @Test func `an error number without a name is itself`() {
        log(.debug).log(.file(Errno(rawValue: 4000))) { [:] }
        #expect(lines.all.withLock { $0 }.first?.hasPrefix("debug errno=4000 ") == true)
    }

    @Test(arguments: [Logger.Level.info, .notice, .critical])
    func `above the level debug nothing is computed`(level: Logger.Level) {
        log(level).log(.storeFailed("disk")) {
            Issue.record("computed")
            return [:]
        }
        #expect(lines.all.withLock { $0.isEmpty })
        #expect(!log(level).isOn)
    }
}
