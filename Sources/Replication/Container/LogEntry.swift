import Documents
import FoundationEssentials

/// An object of the log: two lines of JSON (ContainerFormat). The first line is short. It says which commit the entry is and what it
/// follows, so that an entry can be recognised without reading the rest. The second line is the commit.
public struct LogEntry: Sendable, Equatable {
    public let link: ChainLink
    public let commit: Commit
    /// The whole object.
    public let bytes: [UInt8]

    /// Bytes of the first line, with its line feed, at most.
    static let longestHeader = 1024

    /// The first line.
    struct Header: Codable {
        var format: Int
        var commit: CommitID
        var link: ChainLink
    }

    /// An entry to be written.
    public init(_ commit: Commit, after link: ChainLink) throws(CommitError) {
        try self.init(commit, encoded: commit.encoded(), after: link)
    }

    /// - Parameter encoded: the commit as `Commit.encoded` gives it.
    public init(_ commit: Commit, encoded: [UInt8], after link: ChainLink) throws(CommitError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header: Data
        do {
            header = try encoder.encode(Header(format: Commit.currentFormat, commit: commit.id, link: link))
        } catch { throw .malformed("\(error)") }
        self.link = link
        self.commit = commit
        bytes = Array(header) + [Self.newline] + encoded
    }

    /// Reads an entry from the bytes of its object.
    public init(decoding bytes: [UInt8]) throws(CommitError) {
        let header = try Self.header(of: bytes)
        let rest = bytes.drop { $0 != Self.newline }.dropFirst()
        commit = try Commit.decode(Array(rest))
        guard commit.id == header.commit else {
            throw .invalid("the header names another commit than the one that follows")
        }
        link = header.link
        self.bytes = bytes
    }

    public var hash: ObjectHash { ObjectHash(of: bytes) }

    /// - Parameter start: the first bytes of the object, with the whole first line.
    static func header(of start: [UInt8]) throws(CommitError) -> Header {
        struct Format: Decodable { let format: Int }
        guard let end = start.prefix(longestHeader).firstIndex(of: newline) else {
            throw .malformed("the first line does not end within \(longestHeader) bytes")
        }
        let line = Data(start[..<end])
        do {
            let format = try JSONDecoder().decode(Format.self, from: line).format
            guard format == Commit.currentFormat else { throw CommitError.unknownFormat(format) }
            return try JSONDecoder().decode(Header.self, from: line)
        } catch let error as CommitError { throw error } catch { throw CommitError(decoding: error) }
    }

    private static let newline = UInt8(ascii: "\n")
}
