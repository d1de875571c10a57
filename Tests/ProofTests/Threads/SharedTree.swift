import Glibc
import MountSupport
import Synchronization
import SystemPackage
import TestSupport

/// What several threads do at once in one folder, and what must be true of it whatever their order.
final class SharedTree: Sendable {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    let root: FilePath
    let threads: Int
    /// Counts what only one thread may have succeeded with.
    private let wins = Mutex<[String: Int]>([:])
    private let appended = Mutex(0)
    private let increments = Mutex(0)

    static let permanent = (0..<20).map { "permanent \($0).txt" }
    static let shared = (0..<3).map { "shared \($0).txt" }
    private static let pair = ["one.bin", "two.bin"]

    init(_ root: FilePath, threads: Int) throws {
        self.root = root
        self.threads = threads
        try root.makeFolder()
        for folder in ["moved 0", "deep"] { try (root / folder).makeFolder() }
        for name in Self.permanent { try (root / name).create(name) }
        for name in Self.shared { try (root / name).create(Self.whole(0, 100)) }
        for name in Self.pair { try (root / name).create(name) }
        try (root / "log.txt").create()
        try (root / "count.txt").create("0")
    }

    // MARK: What the threads do

    /// The documents of one thread, which no other changes: content by name.
    struct Own {
        var contents: [String: String] = [:]
        var lastNumber = 0
    }

    /// One random operation.
    func step(_ thread: Int, _ own: inout Own, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: try make(thread, &own, &random)
        case 4..<6: try edit(&own, &random)
        case 6..<8: try rename(thread, &own, &random)
        case 8..<11: try remove(&own, &random)
        case 11..<13: try save(thread, &random)
        case 13..<15: try readShared(&random)
        case 15: try append(thread, &own)
        case 16: try count()
        case 17: try claim(&own, &random)
        case 18: try exchange()
        default: try list()
        }
    }

    private static let folders = ["", "deep/"]

    private func make(_ thread: Int, _ own: inout Own, _ random: inout SeededGenerator) throws {
        own.lastNumber += 1
        let name = Self.folders.randomElement(using: &random)! + "thread \(thread) \(own.lastNumber).txt"
        let content = Self.whole(thread, Int.random(in: 0..<3000, using: &random))
        try (root / name).create(content)
        own.contents[name] = content
    }

    private func edit(_ own: inout Own, _ random: inout SeededGenerator) throws {
        guard let name = own.contents.keys.sorted().randomElement(using: &random) else { return }
        if try (root / name).text() != own.contents[name] { throw Broken(description: "\(name) has another content") }
        let content = Self.whole(9, Int.random(in: 0..<3000, using: &random))
        try (root / name).write(content)
        own.contents[name] = content
    }

    private func rename(_ thread: Int, _ own: inout Own, _ random: inout SeededGenerator) throws {
        guard let name = own.contents.keys.sorted().randomElement(using: &random) else { return }
        own.lastNumber += 1
        let newName = Self.folders.randomElement(using: &random)! + "thread \(thread) \(own.lastNumber).md"
        try (root / name).rename(to: root / newName, .noReplace)
        own.contents[newName] = own.contents.removeValue(forKey: name)
    }

    private func remove(_ own: inout Own, _ random: inout SeededGenerator) throws {
        guard let name = own.contents.keys.sorted().randomElement(using: &random) else { return }
        try (root / name).remove()
        own.contents[name] = nil
    }

    /// A save by renaming over a document that others read.
    private func save(_ thread: Int, _ random: inout SeededGenerator) throws {
        let name = Self.shared.randomElement(using: &random)!
        let temporary = root / "\(name).\(thread).tmp"
        try temporary.create(Self.whole(thread, Int.random(in: 0..<20_000, using: &random)))
        try temporary.rename(to: root / name)
    }

    private func readShared(_ random: inout SeededGenerator) throws {
        let name = Self.shared.randomElement(using: &random)!
        let text = try (root / name).text()
        if !Self.isWhole(text) { throw Broken(description: "\(name) is torn: \(text.count) bytes, \(text.prefix(40))") }
    }

    private func append(_ thread: Int, _ own: inout Own) throws {
        own.lastNumber += 1
        try (root / "log.txt").append("thread \(thread) \(own.lastNumber)\n")
        appended.withLock { $0 += 1 }
    }

    /// Adds one to a number in a file, under a lock.
    private func count() throws {
        let file = try (root / "count.txt").open(.readWrite)
        try file.call { glibcLock($0, LOCK_EX) }
        guard let number = Int(try file.text()) else { throw Broken(description: "the number is torn") }
        try file.write(Array("\(number + 1)".utf8), at: 0)
        increments.withLock { $0 += 1 }
        try file.close()
    }

    /// Only one thread may create a name, or move a folder or a document on.
    private func claim(_ own: inout Own, _ random: inout SeededGenerator) throws {
        let number = wins.withLock { $0.count } / 3
        try win("claimed \(number)") { try (root / "claimed \(number).txt").create() }
        try win("moved \(number)") { try (root / "moved \(number)").rename(to: root / "moved \(number + 1)") }
        try win("removed \(number)") { try (root / "claimed \(number).txt").remove() }
    }

    private func win(_ name: String, _ body: () throws -> Void) throws {
        do { try body() } catch let error as Errno where error == .fileExists || error == .noSuchFileOrDirectory {
            return
        }
        wins.withLock { $0[name, default: 0] += 1 }
    }

    private func exchange() throws {
        try (root / Self.pair[0]).rename(to: root / Self.pair[1], .exchange)
    }

    private func list() throws {
        let names = try root.listing()
        for name in Self.permanent + Self.shared + Self.pair {
            let count = names.count { $0 == name }
            if count != 1 { throw Broken(description: "\(name) is listed \(count) times") }
        }
    }

    // MARK: What must be true in the end

    func check(_ owns: [Own]) throws {
        var expected: [String: String] = [:]
        for own in owns { expected.merge(own.contents) { first, _ in first } }
        for (name, content) in expected where try (root / name).text() != content {
            throw Broken(description: "\(name) has another content")
        }
        try checkListings(expected)
        for name in Self.permanent where try (root / name).text() != name {
            throw Broken(description: "\(name) has another content")
        }
        for name in Self.shared where try !Self.isWhole((root / name).text()) {
            throw Broken(description: "\(name) is torn")
        }
        if try Set(Self.pair.map { try (root / $0).text() }) != Set(Self.pair) {
            throw Broken(description: "a content was lost in an exchange")
        }
        let lines = try (root / "log.txt").text().split(separator: "\n")
        let count = appended.withLock { $0 }
        if lines.count != count || Set(lines).count != count {
            throw Broken(description: "of \(count) lines \(lines.count) are there, \(Set(lines).count) of them once")
        }
        let number = try (root / "count.txt").text()
        let counted = increments.withLock { $0 }
        if number != "\(counted)" { throw Broken(description: "\(counted) increments made \(number)") }
        if let twice = wins.withLock({ $0.first { $0.value != 1 } }), twice.key.hasPrefix("moved") {
            throw Broken(description: "\(twice.value) threads succeeded with \(twice.key)")
        }
    }

    private func checkListings(_ expected: [String: String]) throws {
        let others = Self.permanent + Self.shared + Self.pair + ["log.txt", "count.txt", "deep"]
        let inRoot = try root.listing().filter { !$0.hasPrefix("moved") && !$0.hasPrefix("claimed") }
        let inDeep = try (root / "deep").listing().map { "deep/\($0)" }
        let listed = (inRoot + inDeep).sorted()
        let wanted = (others + expected.keys).sorted()
        if listed != wanted {
            throw Broken(
                description: "listed and not made: \(Set(listed).subtracting(wanted)); "
                    + "made and not listed: \(Set(wanted).subtracting(listed)); twice: \(listed.count - Set(listed).count)"
            )
        }
        let ids = try listed.filter { $0 != "deep" }.map { try (root / $0).identifier() }
        if Set(ids).count != ids.count { throw Broken(description: "two documents have one id") }
    }

    // MARK: Contents

    /// A content that shows whether it is whole: it begins with its length.
    private static func whole(_ thread: Int, _ count: Int) -> String {
        "\(count) " + String(repeating: Character(UnicodeScalar(UInt8(97 + thread))), count: count)
    }

    private static func isWhole(_ text: String) -> Bool {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), let first = parts[1].utf8.first else { return text == "0 " }
        return parts[1].utf8.count == count && parts[1].utf8.allSatisfy { $0 == first }
    }
}
