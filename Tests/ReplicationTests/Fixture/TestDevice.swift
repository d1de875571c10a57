import Documents
import FoundationEssentials
import Replication
import TestSupport

extension Identifier {
    /// An id that is easy to recognise.
    init(numbered number: UInt8) { self.init(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))) }

    /// One of many ids that are in the order of their numbers.
    init(counted number: Int) {
        let bytes = withUnsafeBytes(of: UInt32(number).bigEndian) { [UInt8]($0) }
        self.init(UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, bytes[0], bytes[1], bytes[2], bytes[3])))
    }
}

/// A device of the container, with the entries and commits that it would write.
struct TestDevice: Sendable {
    let id: DeviceID
    let name: String

    static let laptop = TestDevice(id: DeviceID(numbered: 1), name: "laptop")
    static let phone = TestDevice(id: DeviceID(numbered: 2), name: "phone")
    static let tablet = TestDevice(id: DeviceID(numbered: 3), name: "tablet")

    static let digest = String(repeating: "0123456789abcdef", count: 4)

    /// The digest of a version's content. Each version has its own.
    static func digest(of version: VersionID) -> String {
        let digits = version.bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return digits + digits
    }

    func commit(_ changes: Change..., id: CommitID = .random()) -> Commit { commit(changes, id: id) }

    func commit(_ changes: [Change], id: CommitID = .random()) -> Commit {
        Commit(id: id, device: self.id, deviceName: name, time: Timestamp(nanoseconds: 0), changes: changes)
    }

    func version(_ number: UInt8, base: UInt8? = nil, modified: Int64) -> DocumentVersion {
        DocumentVersion(
            id: VersionID(numbered: number), base: base.map(VersionID.init(numbered:)), device: id, deviceName: name,
            filename: "f.txt", size: 3, sha256: Self.digest(of: VersionID(numbered: number)),
            modified: Timestamp(nanoseconds: modified))
    }

    func document(
        _ number: UInt8, _ fullName: String = "Plan.txt", in parent: EntryID = .cloudRoot, filename: String? = nil,
        naming: Naming = .given, version: DocumentVersion? = nil
    ) -> ReplicaEntry {
        let name = (try? EntryName(fullName)).map(DocumentName.init(splitting:))
        let version = version ?? self.version(number, modified: 100)
        let description = EntryDescription(
            parent: parent, filename: filename ?? "generated-\(number).txt", displayName: name?.displayName,
            pathExtension: name?.pathExtension, naming: naming, hasGeneratedFilename: filename == nil,
            position: .number(Double(number)), mode: 0o644, modified: version.modified)
        return ReplicaEntry(
            id: EntryID(numbered: number), description: description,
            content: .document(versions: VersionHistory(first: version)),
            created: Timestamp(nanoseconds: 1), creator: id)
    }

    func folder(_ number: UInt8, _ name: String, in parent: EntryID = .cloudRoot) -> ReplicaEntry {
        let description = EntryDescription(
            parent: parent, filename: name, position: .number(Double(number)), mode: 0o755,
            modified: Timestamp(nanoseconds: 1))
        return ReplicaEntry(
            id: EntryID(numbered: number), description: description, content: .folder,
            created: Timestamp(nanoseconds: 1), creator: id)
    }

    func link(_ number: UInt8, _ name: String, to target: String) -> ReplicaEntry {
        var entry = folder(number, name)
        entry.content = .symbolicLink(target: Data(target.utf8))
        return entry
    }
}

extension DescriptionChange {
    static func moved(to parent: EntryID, filename: String, isGenerated: Bool = false) -> DescriptionChange {
        var change = DescriptionChange()
        change.place = Place(parent: parent, filename: filename, hasGeneratedFilename: isGenerated)
        return change
    }

    static func named(_ displayName: String, _ pathExtension: String = "txt") -> DescriptionChange {
        var change = DescriptionChange()
        change.name = Name(displayName: displayName, pathExtension: pathExtension, naming: .given)
        return change
    }
}
