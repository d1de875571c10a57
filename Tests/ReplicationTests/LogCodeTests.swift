import Documents
import Foundation
import Testing

@testable import Replication

/// The eight words by which people compare what their devices are shown.
struct LogCodeTests {
    private static let container = ContainerID(UUID(uuidString: "6ba7b810-9dad-41d1-80b4-00c04fd430c8")!)

    @Test func `the words are those of another implementation`() {
        // Of hashlib and the list of the Python package mnemonic.
        let code = LogCode(of: Self.container, at: LogPosition(12), ObjectHash(of: Array("x".utf8)))
        #expect(code.description == "crop impulse six peanut manage blade learn wise")
    }

    @Test func `another entry, position or container has other words`() {
        let code = LogCode(of: Self.container, at: LogPosition(12), ObjectHash(of: Array("x".utf8)))
        let others = [
            LogCode(of: Self.container, at: LogPosition(12), ObjectHash(of: Array("y".utf8))),
            LogCode(of: Self.container, at: LogPosition(13), ObjectHash(of: Array("x".utf8))),
            LogCode(of: ContainerID(UUID()), at: LogPosition(12), ObjectHash(of: Array("x".utf8))),
        ]
        #expect(Set(others + [code]).count == 4)
    }

    @Test func `there are 2,048 words, of which no two begin alike`() {
        #expect(CodeWords.all.count == 2048)
        #expect(Set(CodeWords.all.map { $0.prefix(4) }).count == 2048)
    }
}
