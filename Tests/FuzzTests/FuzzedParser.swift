@testable import Browse
import Ciphers
import Documents
@testable import Encryption
import Foundation
@testable import ObjectStore
@testable import Replication
import TestSupport
@testable import docfs

/// A parser of what others wrote. It may refuse any bytes, and must neither trap nor contradict itself.
enum FuzzedParser: String, CaseIterable {
    case attributes, checkpoint, cloudURL, contentRange, credentials, identity, keyObject, listing, logEntry, objectKey,
        order, query

    /// - Precondition: what was read is written again as something that reads the same.
    func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        switch self {
        case .attributes: Self.attributes(bytes)
        case .checkpoint: Self.checkpoint(bytes)
        case .cloudURL: Self.cloudURL(text)
        case .contentRange: Self.ranges(text)
        case .credentials: Self.credentials(text)
        case .identity: Self.identity(bytes)
        case .keyObject: Self.keyObject(bytes)
        case .listing: Self.listing(bytes)
        case .logEntry: Self.logEntry(bytes)
        case .objectKey: Self.objectKey(text)
        case .order: Self.order(bytes)
        case .query: Self.query(text)
        }
    }

    private static func attributes(_ bytes: [UInt8]) {
        guard let attributes = try? ExtendedAttributes(json: bytes) else { return }
        guard let json = try? attributes.json() else { return precondition(attributes == ExtendedAttributes()) }
        precondition((try? ExtendedAttributes(json: json)) == attributes)
    }

    /// A manifest, and a part after the first line feed.
    private static func checkpoint(_ bytes: [UInt8]) {
        let halves = bytes.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
        _ = try? CheckpointManifest(decoding: Array(halves[0]))
        guard halves.count == 2 else { return }
        _ = try? FetchedCheckpoint.entries(of: Array(halves[1]))
    }

    private static func cloudURL(_ text: String) {
        guard let url = try? CloudURL(text) else { return }
        precondition((try? CloudURL(url.text))?.text == url.text)
    }

    private static func ranges(_ text: String) {
        if let range = ContentRange(text) { precondition(!range.bytes.isEmpty) }
        for size: Int64 in [0, 1, 1000, .max] {
            guard case .part(let part) = ByteRange(header: text, size: size) else { continue }
            precondition(part.lowerBound >= 0 && part.upperBound <= size)
        }
    }

    private static func credentials(_ text: String) {
        let file = ProfileFile(text)
        for name in ["default", text] { _ = file.profile(name) }
    }

    private static func identity(_ bytes: [UInt8]) {
        guard let identity = ContainerIdentity(bytes) else { return }
        precondition(identity.encoded == bytes)
    }

    private static func keyObject(_ bytes: [UInt8]) {
        guard let object = KeyObject(bytes) else { return }
        let key = ContainerKey(bytes: .random(32))
        precondition(object.ring(with: key) == nil)
        // Not the passphrase: its cost may be a second.
        _ = try? object.encoded()
    }

    private static func listing(_ bytes: [UInt8]) {
        guard let document = XMLElement.document(bytes) else { return }
        if let listing = ObjectListing(document) { precondition(listing.keys.count <= document.children.count) }
        _ = S3Refusal(status: 500, document: document)
    }

    private static func logEntry(_ bytes: [UInt8]) {
        guard let entry = try? LogEntry(decoding: bytes) else { return }
        guard let again = try? LogEntry(entry.commit, after: entry.link),
            let read = try? LogEntry(decoding: again.bytes)
        else { preconditionFailure("what was read cannot be written") }
        precondition(read.commit == entry.commit && read.link == entry.link)
        var replica = InMemoryReplica()
        _ = try? apply(entry.commit, to: &replica)
        _ = try? apply(entry.commit, to: &replica)
    }

    private static func objectKey(_ text: String) {
        guard let key = ObjectKey(text) else { return }
        precondition(key.description == text)
        if let position = LogPosition(key) { precondition(position.key == key) }
        _ = ContentKey(key)
        guard let name = ObjectName(key) else { return }
        precondition(name.key.map { ObjectName($0) } == name)
        precondition(!name.periods(of: [.init(key: .random(), start: 0, nameKey: .random(64))]).isEmpty)
    }

    private static func order(_ bytes: [UInt8]) {
        guard let written = OrderText.lines(of: bytes) else { return }
        for line in written.lines { _ = OrderText.unescape(line) }
    }

    private static func query(_ text: String) {
        guard let predicate = try? QueryParser.parse(text, clock: clock) else { return }
        _ = predicate
    }

    /// Always the same moment.
    private static let clock = QueryClock(
        now: 1_795_000_000,
        moment: { year, month, day, hour, minute in
            Int64(year) &* 31_556_952 &+ Int64(month) &* 2_629_746 &+ Int64(day) &* 86_400 &+ Int64(hour) &* 3_600
                &+ Int64(minute) &* 60
        }, today: (2026, 11, 28))
}
