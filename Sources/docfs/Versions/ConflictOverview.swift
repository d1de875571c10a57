import CLinux
import Glibc

/// Who made the content of a document, and who asks.
struct DeviceNames {
    let own: String
    /// Of the content that is current.
    let current: String

    init(own: String, current: String) {
        self.own = own
        self.current = current
    }

    init(of document: String) throws {
        let mount = try MountedTree(holding: document)
        own = StateText(try readState(ofFolder: mount.documents))["device"] ?? ""
        current = attributeText("user.document.device", of: document) ?? own
    }
}

/// The versions to choose from. Mine is what this device made, whichever version is current.
struct ConflictOverview {
    private let rows: [[StyledText]]
    private let displayName: String

    init(_ versions: DocumentVersions, on devices: DeviceNames) {
        displayName = versions.state["displayName"] ?? versions.path
        var status = stat()
        let isThere = stat(versions.path, &status) == 0
        let current: [StyledText] = [
            "", StyledText("\(Self.owner(devices.current, devices)), current", .green),
            StyledText(isThere ? HumanText.size(Int64(status.st_size)) : "?"),
            StyledText(isThere ? HumanText.localTime(secondsSince1970: status.st_mtim.tv_sec) : "?"),
            StyledText(devices.current),
        ]
        let others = versions.conflicts.enumerated().map { index, version in
            Self.row(version, "\(index + 1)", StyledText(Self.owner(version.device, devices), .yellow))
        }
        // The latest version that is older than all that are in conflict.
        let earliest = (versions.conflicts.map(\.modifiedSeconds) + (isThere ? [status.st_mtim.tv_sec] : [])).min() ?? 0
        let base = versions.versions.first { $0.modifiedSeconds <= earliest }
        rows = [current] + others + (base.map { [Self.row($0, "", StyledText("before", .faint))] } ?? [])
    }

    private static func owner(_ device: String?, _ devices: DeviceNames) -> String {
        device == devices.own ? "mine" : "theirs"
    }

    private static func row(_ version: ListedVersion, _ number: String, _ role: StyledText) -> [StyledText] {
        [StyledText(number), role] + DocumentVersions.row(version, number: 0).dropFirst(2)
    }

    func text(_ facts: TerminalFacts) -> String {
        var table = TextTable(rows)
        table.hasColor = facts.hasColor
        table.rightAligned = [0, 2]
        return StyledText("\(displayName) is in conflict:", .bold).rendered(hasColor: facts.hasColor) + "\n"
            + table.text
    }
}
