import Dispatch
@testable import docfs
import Encryption
import ObjectStore
import Synchronization
import TestSupport
import Testing

/// `cloud-keys.json`, which commands and mounts change at once.
struct ContainerKeyFileTests {
    private static let writers = 8
    private static let changesOfWriter = 5

    private func url(_ number: Int) throws -> CloudURL { try CloudURL("file:///cloud/\(number)") }

    @Test func `what one writer keeps is not lost by another one`() throws {
        try withTemporaryFolder { store in
            let keys = KeptKeys.ofTests(.random())
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: Self.writers) { writer in
                for change in 0..<Self.changesOfWriter {
                    do {
                        let url = try url(writer * Self.changesOfWriter + change)
                        var file = try ContainerKeyFile(ofStore: store)
                        try file.remember(.init(cloud: url.text, keys: keys, isEstablished: true), at: url)
                    } catch { failures.withLock { $0.append("\(error)") } }
                }
            }
            #expect(failures.withLock { $0 }.isEmpty)
            let file = try ContainerKeyFile(ofStore: store)
            for number in 0..<Self.writers * Self.changesOfWriter {
                #expect(try file.entry(at: url(number))?.keys == keys, "\(number)")
            }
        }
    }

    @Test func `keys that are gone cannot be changed, and the message says how to have them again`() throws {
        try withTemporaryFolder { store in
            let error = #expect(throws: CommandFailure.self) {
                try ContainerKeyFile.change(ofStore: store, at: url(1)) { $0.notePublished() }
            }
            #expect(error?.message.contains("mount with the passphrase") == true)
        }
    }
}
