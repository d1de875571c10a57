import Browse
import Documents
import Glibc

extension DocumentFacts {
    /// - Parameter name: the display name with its extension.
    init(_ versions: DocumentVersions, name: String, on devices: DeviceNames) throws {
        var status = stat()
        guard stat(versions.path, &status) == 0 else { throw CommandFailure.notFound(versions.path) }
        self.init(
            current: Version(
                reference: nil, name: name, device: devices.current, isOwn: devices.current == devices.own,
                size: Int64(status.st_size), modified: status.st_mtim.tv_sec),
            path: versions.path)
        func version(_ kind: VersionReference.Kind, _ version: ListedVersion) -> Version {
            Version(
                reference: VersionReference(kind, version.name), name: version.name, device: version.device,
                isOwn: version.device == devices.own, size: version.size, modified: version.modifiedSeconds)
        }
        conflicts = versions.conflicts.map { version(.conflicts, $0) }
        self.versions = versions.versions.map { version(.versions, $0) }
        error = versions.state["error"]
        attributes = attributeNames(of: versions.path).filter(Self.isOfPerson).compactMap { name in
            attributeBytes(name, of: versions.path).map { Attribute(name: name, value: $0) }
        }
    }

    /// docfs shows its own elsewhere.
    private static func isOfPerson(_ name: String) -> Bool {
        name.hasPrefix("user.") && !name.hasPrefix("user.document.") && name != "user.displayName"
    }
}

extension VersionReference.Kind {
    var listed: ListedVersion.Kind {
        switch self {
        case .conflicts: .conflict
        case .versions: .version
        }
    }
}
