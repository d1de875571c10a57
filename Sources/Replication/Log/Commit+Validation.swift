import Documents
import FoundationEssentials

/// Reads a commit from bytes that are not trusted, and checks every value. A commit that was read can be applied (ContainerFormat gives
/// the limits).
extension Commit {
    /// - Throws: `CommitError` for anything that is no commit, or has a value beyond the limits.
    public static func decode(_ bytes: [UInt8]) throws(CommitError) -> Commit {
        struct Header: Decodable { let format: Int }
        let decoder = JSONDecoder()
        let data = Data(bytes)
        let header: Header
        do { header = try decoder.decode(Header.self, from: data) } catch { throw CommitError(decoding: error) }
        guard knownFormats.contains(header.format) else { throw .unknownFormat(header.format) }
        let commit: Commit
        do { commit = try decoder.decode(Commit.self, from: data) } catch { throw CommitError(decoding: error) }
        try commit.validate()
        return commit
    }

    /// The second line of an entry: JSON with sorted keys (`ContainerFormat`). Does not check the limits.
    ///
    /// - Throws: `CommitError.malformed` for a value that JSON cannot hold.
    public func encoded() throws(CommitError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch { throw .malformed("\(error)") }
    }

    func validate() throws(CommitError) {
        guard (newKey != nil) == (format == Self.keyFormat), newKey == nil || changes.isEmpty,
            newKey?.count ?? 0 <= Self.longestKey
        else { throw .invalid("the announcement of a key") }
        if let removed, newKey == nil || removed.contains(device) || removed.count > Members.most {
            throw .invalid("the removal of a device")
        }
        for change in changes {
            switch change {
            case .create(let entry): try Self.validate(entry)
            case .save(_, let version): try Self.validate(version)
            case .describe(_, let change): try Self.validate(change)
            case .delete(_, let seen): try Self.validate(count: seen.count)
            case .resolve(_, let resolution):
                try Self.validate(count: resolution.discarded.count)
                try Self.validate(count: resolution.restored.count)
                try Self.validate(count: resolution.demoted.count)
            case .bequeath(_, let heir, let versions):
                try Self.validate(count: versions.count)
                if heir == .cloudRoot { throw .invalid("the top folder cannot be changed") }
            }
            if change.subject == .cloudRoot { throw .invalid("the top folder cannot be changed") }
        }
    }

    static func validate(_ entry: ReplicaEntry) throws(CommitError) {
        let description = entry.description
        try validate(filename: description.filename)
        try validate(position: description.position)
        try validate(mode: description.mode)
        try validate(attributes: description.attributes)
        switch entry.content {
        case .folder: break
        case .symbolicLink(let target):
            if target.isEmpty || target.count > longestTarget || target.contains(0) {
                throw .invalid("the target of a link")
            }
        case .document(let versions):
            try validate(count: versions.all.count)
            for version in versions.all { try validate(version) }
            guard Set(versions.all.map(\.id)).count == versions.all.count else {
                throw .invalid("a document that has one version twice")
            }
            guard let displayName = description.displayName, let pathExtension = description.pathExtension,
                description.naming != nil
            else { throw .invalid("a document without a name") }
            try validate(displayName: displayName, pathExtension: pathExtension)
        }
    }

    private static func validate(_ change: DescriptionChange) throws(CommitError) {
        if let place = change.place { try validate(filename: place.filename) }
        if let name = change.name { try validate(displayName: name.displayName, pathExtension: name.pathExtension) }
        if let position = change.position { try validate(position: position) }
        if let mode = change.mode { try validate(mode: mode) }
        if let attributes = change.attributes { try validate(attributes: attributes.json) }
    }

    private static func validate(_ version: DocumentVersion) throws(CommitError) {
        try validate(filename: version.filename)
        guard version.size >= 0, version.size <= largestSize else { throw .invalid("a size of \(version.size) bytes") }
        guard Digest.isHexadecimal(version.sha256) else { throw .invalid("a SHA-256 digest") }
    }

    private static let mostVersions = 4096
    /// Bytes.
    private static let longestKey = 16_384
    /// Bytes.
    private static let largestSize: Int64 = 1 << 44
    private static let longestTarget = 4095
    private static let largestAttributes = 1 << 20

    /// - Parameter count: versions of one document.
    private static func validate(count: Int) throws(CommitError) {
        guard count <= mostVersions else { throw .invalid("\(count) versions of one document") }
    }

    private static func validate(filename: String) throws(CommitError) {
        do { _ = try EntryName(filename) } catch { throw .invalid("the filename '\(filename.prefix(64))'") }
    }

    private static func validate(displayName: String, pathExtension: String) throws(CommitError) {
        do { _ = try DocumentName(displayName: displayName, pathExtension: pathExtension) } catch {
            throw .invalid("the display name '\(displayName.prefix(64))'")
        }
        guard isExtension(pathExtension) else { throw .invalid("the extension '\(pathExtension.prefix(64))'") }
    }

    /// Whether splitting a name can give this extension.
    private static func isExtension(_ text: String) -> Bool {
        if text.isEmpty { return true }
        do throws(NameError) {
            return DocumentName(splitting: try EntryName("x." + text)).pathExtension.isIdentical(to: text)
        } catch { return false }
    }

    private static func validate(position: CommittedPosition) throws(CommitError) {
        if case .number(let number) = position, !number.isFinite {
            throw .invalid("a position that is not a finite number")
        }
    }

    private static func validate(mode: UInt16) throws(CommitError) {
        guard mode <= 0o7777 else { throw .invalid("the mode \(mode)") }
    }

    /// Attributes are kept as the bytes that were sent, so these must be such as this device would have sent.
    private static func validate(attributes: Data?) throws(CommitError) {
        guard let attributes else { return }
        guard attributes.count <= largestAttributes else {
            throw .invalid("extended attributes of \(attributes.count) bytes")
        }
        let values: ExtendedAttributes
        do { values = try ExtendedAttributes(json: attributes) } catch {
            throw .invalid("extended attributes that cannot be read")
        }
        guard values.allSatisfy(isAttribute) else { throw .invalid("the name or size of an extended attribute") }
    }

    /// Whether an attribute keeps the limits of xattr(7), and is a person's.
    private static func isAttribute(_ name: String, _ value: [UInt8]) -> Bool {
        name.utf8.starts(with: "user.".utf8) && name.utf8.count <= 255 && !name.utf8.contains(0)
            && value.count <= 64 << 10
    }
}
