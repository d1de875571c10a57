import Documents

/// One change of the replica (ContainerFormat says what each does).
public enum Change: Sendable, Equatable {
    /// A new entry, or one that was deleted and is back. With `deleted`: an entry that was there once, told to a container that
    /// has lost it.
    case create(ReplicaEntry)
    /// A new content of a document.
    case save(EntryID, DocumentVersion)
    case describe(EntryID, DescriptionChange)
    /// `seen` are the versions that the deleting device had seen; empty for folders and links.
    case delete(EntryID, seen: [VersionID])
    case resolve(EntryID, Resolution)
    /// A document was renamed over another one. These versions of it become conflict versions of that one.
    case bequeath(EntryID, to: EntryID, versions: [VersionID])

    public var subject: EntryID {
        switch self {
        case .create(let entry): entry.id
        case .save(let id, _), .describe(let id, _), .delete(let id, _), .resolve(let id, _), .bequeath(let id, _, _):
            id
        }
    }
}

/// An object with one key, which names the kind: `{"save": {"id": …, "version": …}}`.
extension Change: Codable {
    private enum Kind: String, CodingKey { case create, save, describe, delete, resolve, bequeath }

    private struct Save: Codable { var id: EntryID; var version: DocumentVersion }
    private struct Describe: Codable { var id: EntryID; var change: DescriptionChange }
    private struct Delete: Codable { var id: EntryID; var seen: [VersionID] }
    private struct Bequeath: Codable { var id: EntryID; var heir: EntryID; var versions: [VersionID] }
    private struct Resolve: Codable { var id: EntryID; var resolution: Resolution }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard container.allKeys.count == 1, let kind = container.allKeys.first else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a change of one known kind"))
        }
        switch kind {
        case .create:
            self = .create(try container.decode(ReplicaEntry.self, forKey: kind))
        case .save:
            let save = try container.decode(Save.self, forKey: kind)
            self = .save(save.id, save.version)
        case .describe:
            let describe = try container.decode(Describe.self, forKey: kind)
            self = .describe(describe.id, describe.change)
        case .delete:
            let delete = try container.decode(Delete.self, forKey: kind)
            self = .delete(delete.id, seen: delete.seen)
        case .resolve:
            let resolve = try container.decode(Resolve.self, forKey: kind)
            self = .resolve(resolve.id, resolve.resolution)
        case .bequeath:
            let bequeath = try container.decode(Bequeath.self, forKey: kind)
            self = .bequeath(bequeath.id, to: bequeath.heir, versions: bequeath.versions)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .create(let entry): try container.encode(entry, forKey: .create)
        case .save(let id, let version): try container.encode(Save(id: id, version: version), forKey: .save)
        case .describe(let id, let change): try container.encode(Describe(id: id, change: change), forKey: .describe)
        case .delete(let id, let seen): try container.encode(Delete(id: id, seen: seen), forKey: .delete)
        case .resolve(let id, let resolution):
            try container.encode(Resolve(id: id, resolution: resolution), forKey: .resolve)
        case .bequeath(let id, let heir, let versions):
            try container.encode(Bequeath(id: id, heir: heir, versions: versions), forKey: .bequeath)
        }
    }
}
