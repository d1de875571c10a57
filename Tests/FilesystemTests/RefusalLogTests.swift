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
        /// The time at which they are written.
        let time = Mutex(ContinuousClock.now)
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
        let logger = Logger(label: "test") { [lines] _ in
            var handler = Handler(lines: lines)
            handler.logLevel = level
            return handler
        }
        return RefusalLog(logger: logger, instant: { [lines] in lines.time.withLock(\.self) }) { "cloud/Folder \($0)" }
    }

    @Test func `a refusal says operation, inodes, names, error number and reason`() {
        "Plan.txt".withCString { name in
            "Trips".withCString { newName in
                let subject = RequestSubject(operation: "rename", inode: 3, name: name, newInode: 4, newName: newName)
                log(.debug).log(.nameExists, of: 3) { subject.description }
            }
        }
        #expect(
            lines.all.withLock { $0 } == [
                #"debug errno=EEXIST inode=3 name="Plan.txt" newInode=4 newName="Trips" operation=rename reason=something has this name already"#
            ])
    }

    @Test func `parts that a request does not have are left out`() {
        log(.trace).log(.unknownFlags, of: nil) { RequestSubject(operation: "statfs").description }
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
        log(.debug).log(.file(Errno(rawValue: 4000)), of: 3) { [:] }
        #expect(lines.all.withLock { $0 }.first?.hasPrefix("debug errno=4000 ") == true)
    }

    @Test(arguments: [Refusal.file(.ioError), .file(.readOnlyFileSystem), .noRoom, .storeFailed("disk")])
    func `what tells of the disk is a warning with the path, once a minute for each operation`(refusal: Refusal) throws
    {
        let log = log(.info)
        func refuse(_ operation: StaticString) {
            log.log(refusal, of: 7) { RequestSubject(operation: operation, inode: 7).description }
        }
        for operation: StaticString in ["create", "create", "write", "create"] { refuse(operation) }
        let written = lines.all.withLock { $0 }
        try #require(written.count == 2)
        for (line, operation) in zip(written, ["create", "write"]) {
            #expect(line.hasPrefix("warning errno=E"))
            #expect(line.contains("inode=7 operation=\(operation) path=\"cloud/Folder 7\" reason="))
        }
        lines.time.withLock { $0 += .seconds(61) }
        refuse("create")
        #expect(lines.all.withLock { $0.count } == 3)
    }

    @Test(arguments: [Logger.Level.info, .notice, .critical])
    func `above the level debug nothing is computed of other refusals`(level: Logger.Level) {
        log(level).log(level == .critical ? .storeFailed("disk") : .nameExists, of: 3) {
            Issue.record("computed")
            return [:]
        }
        #expect(lines.all.withLock { $0.isEmpty })
    }
}
