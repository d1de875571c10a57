import Documents
import FoundationEssentials

/// From bytes of the store to a commit that can be applied without further doubt.
extension Commit {
    public static func decode(_ bytes: [UInt8]) throws(CommitError) -> Commit {
        struct Header: Decodable { let format: Int }
        let decoder = JSONDecoder()
        let data = Data(bytes)
        let header: Header
        do { header = try decoder.decode(Header.self, from: data) } catch { throw CommitError(decoding: error) }
        guard header.format == currentFormat else { throw .unknownFormat(header.format) }
        let commit: Commit
        do { commit = try decoder.decode(Commit.self, from: data) } catch { throw CommitError(decoding: error) }
        try commit.validate()
        return commit
    }

    public func encoded() throws(CommitError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(self)) } catch { throw .malformed("\(error)") }
    }

    func validate() throws(CommitError) {
        for change in changes {
            switch change {
            case .create(let entry): try Self.validate(entry)
            case .save(_, let version): try Self.validate(version)
            case .describe(_, let change): try Self.validate(change)
            case .delete(_, let seen): try Self.validate(count: seen.count)
            case .resolve(_, let resolution): try Self.validate(count: resolution.discarded.count)
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
            if target.isEmpty || target.count >= 4096 || target.contains(0) { throw .invalid("a link's target") }
        case .document(let versions):
            try validate(count: versions.all.count)
            for version in versions.all { try validate(version) }
            guard Set(versions.all.map(\.id)).count == versions.all.count else {
                throw .invalid("a document with one version twice")
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
        guard version.size >= 0, version.size <= 1 << 44 else { throw .invalid("a size of \(version.size) bytes") }
        guard Digest.isHexadecimal(version.sha256) else { throw .invalid("a SHA-256 digest") }
    }

    /// Of versions of one document: more than anybody could have made.
    private static func validate(count: Int) throws(CommitError) {
        guard count <= 4096 else { throw .invalid("\(count) versions of one document") }
    }

    private static func validate(filename: String) throws(CommitError) {
        do { _ = try EntryName(filename) } catch { throw .invalid("the filename '\(filename.prefix(64))'") }
    }

    private static func validate(displayName: String, pathExtension: String) throws(CommitError) {
        do { _ = try DocumentName(displayName: displayName, pathExtension: pathExtension) } catch {
            throw .invalid("the display name '\(displayName.prefix(64))'")
        }
        // An extension is what splitting a name gives as one.
        let split = (try? EntryName("x." + pathExtension)).map(DocumentName.init(splitting:))
        guard pathExtension.isEmpty || split?.pathExtension.isIdentical(to: pathExtension) == true else {
            throw .invalid("the extension '\(pathExtension.prefix(64))'")
        }
    }

    private static func validate(position: Double) throws(CommitError) {
        guard position.isFinite else { throw .invalid("a position that is no number") }
    }

    private static func validate(mode: UInt16) throws(CommitError) {
        guard mode <= 0o7777 else { throw .invalid("the mode \(mode)") }
    }

    /// Attributes are kept as they were sent, so they must be what this device would have sent.
    private static func validate(attributes: Data?) throws(CommitError) {
        guard let attributes else { return }
        guard attributes.count <= 1 << 20,
            let values = try? ExtendedAttributes(json: attributes), values.allSatisfy(isAttribute)
        else { throw .invalid("extended attributes") }
    }

    /// Within the limits of xattr(7).
    private static func isAttribute(_ name: String, _ value: [UInt8]) -> Bool {
        name.utf8.starts(with: "user.".utf8) && name.utf8.count <= 255 && !name.utf8.contains(0)
            && value.count <= 64 << 10
    }
}
