import Ciphers
import Documents
import FoundationEssentials

/// An object of the log: two lines of JSON (ContainerFormat). The first line is short. It says which commit the entry is and what it
/// follows, so that an entry can be recognised without reading the rest. The second line is the commit.
public struct LogEntry: Sendable, Equatable {
    /// The part of the first line that says what the entry follows.
    public let link: ChainLink
    /// Nil in plain containers, and in entries of a release that did not sign.
    public let signature: DeviceSignature?
    /// Where its writer put it; of a signed entry only.
    let position: LogPosition?
    /// The second line. Every value in it is within the limits if it was decoded.
    public let commit: Commit
    /// The whole object.
    public let bytes: [UInt8]

    /// Bytes of the first line, with its line feed, at most.
    static let longestHeader = 1024
    /// Of the first line of a signed entry: a release that knows of no signatures must not take it for a damaged one.
    static let signedFormat = 3

    /// The first line.
    struct Header: Codable, SignedObject {
        static let purpose = "docfs entry"

        var format: Int
        var commit: CommitID
        /// Of the second line. Nil in entries that were written before 0.9.
        var digest: ObjectHash?
        var link: ChainLink
        /// Of a signed entry, so that it holds at its place only, also where the chain has broken off before it.
        var position: LogPosition?
        var signature: DeviceSignature?

        func text() throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }
    }

    /// An entry of a plain container, to be written.
    ///
    /// - Throws: `CommitError.malformed` if the commit cannot be encoded. `ReplicatedLog.append` validates it.
    public init(_ commit: Commit, after link: ChainLink) throws(CommitError) {
        try self.init(commit, encoded: commit.encoded(), after: link, nil)
    }

    /// An entry to be written after those that a device has read.
    ///
    /// - Parameters:
    ///   - encoded: the commit as `Commit.encoded` gives it.
    ///   - key: of this device, in an encrypted container.
    public init(
        _ commit: Commit, encoded: [UInt8]? = nil, after head: LogHead, signedWith key: SigningKey?
    ) throws(CommitError) {
        let bytes: [UInt8]
        if let encoded { bytes = encoded } else { bytes = try commit.encoded() }
        try self.init(commit, encoded: bytes, after: head.link, key.map { ($0, head.position.next) })
    }

    private init(
        _ commit: Commit, encoded: [UInt8], after link: ChainLink, _ signing: (key: SigningKey, position: LogPosition)?
    ) throws(CommitError) {
        let format = signing == nil ? commit.format : Self.signedFormat
        let line: [UInt8]
        do {
            let header = try Header(
                format: format, commit: commit.id, digest: ObjectHash(of: encoded), link: link,
                position: signing?.position
            ).signed(with: signing?.key)
            signature = header.signature
            line = try header.text()
        } catch { throw .malformed("\(error)") }
        self.link = link
        self.commit = commit
        position = signing?.position
        bytes = line + [Self.newline] + encoded
    }

    /// Reads an entry from the bytes of its object, which are not trusted.
    ///
    /// - Throws: `CommitError` for a later format, a digest or id that does not fit, or a value beyond the limits.
    public init(decoding bytes: [UInt8]) throws(CommitError) {
        let header = try Self.header(of: bytes)
        let rest = Array(bytes.drop { $0 != Self.newline }.dropFirst())
        commit = try Commit.decode(rest)
        let format = header.signature == nil ? commit.format : Self.signedFormat
        guard commit.id == header.commit, header.format == format else {
            throw .invalid("the header names another commit than the one that follows")
        }
        try Self.verify(bytes.dropLast(rest.count + 1), header, rest)
        link = header.link
        signature = header.signature
        position = header.position
        self.bytes = bytes
    }

    /// The hash of the whole object, which the next entry must name. Computed at each call.
    public var hash: ObjectHash { ObjectHash(of: bytes) }

    /// Checks that not one bit has changed on the way here. The chain would show it with the next entry only, when this one was applied.
    private static func verify(_ line: ArraySlice<UInt8>, _ header: Header, _ rest: [UInt8]) throws(CommitError) {
        let isWhole: Bool
        // A header that says the same in other bytes (upper-case letters in an id, a digest under another name) is not whole either.
        do { isWhole = try header.text().elementsEqual(line) && header.isAsSigned() } catch {
            throw CommitError(decoding: error)
        }
        // What is signed is the digest.
        let digest = header.digest
        guard isWhole, digest.map({ $0 == ObjectHash(of: rest) }) ?? (header.signature == nil) else {
            throw .malformed("it is not as its writer wrote it")
        }
    }

    /// - Parameter start: the first bytes of the object, with the whole first line.
    static func header(of start: [UInt8]) throws(CommitError) -> Header {
        struct Format: Decodable { let format: Int }
        guard let end = start.prefix(longestHeader).firstIndex(of: newline) else {
            throw .malformed("the first line does not end within \(longestHeader) bytes")
        }
        let line = Data(start[..<end])
        do {
            let format = try JSONDecoder().decode(Format.self, from: line).format
            guard knownFormats.contains(format) else { throw CommitError.unknownFormat(format) }
            return try JSONDecoder().decode(Header.self, from: line)
        } catch let error as CommitError { throw error } catch { throw CommitError(decoding: error) }
    }

    /// Of the first line: what this release reads.
    static let knownFormats = Commit.usualFormat...signedFormat

    private static let newline = UInt8(ascii: "\n")
}
