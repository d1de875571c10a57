/// What `docfs mount` says when the mount is ready, in one line.
struct MountGreeting {
    private let mountpoint: String
    private let state: StateText
    private let showsDisplayNames: Bool

    init(_ mount: MountedTree) throws {
        mountpoint = mount.mountpoint
        state = StateText(try readState(ofFolder: mount.documents))
        showsDisplayNames = mount.showsDisplayNames
    }

    var text: String {
        let count = (Int(state["local.documents"] ?? "") ?? 0) + (Int(state["cloud.documents"] ?? "") ?? 0)
        let cloud = "the cloud is \(state["cloud.url"] ?? "-") (\(state["cloud.connection"] ?? "-"))"
        let names =
            showsDisplayNames
            ? "listings show display names (--show filenames changes that)"
            : "listings show filenames (--show display-names changes that)"
        return "\(mountpoint) has \(HumanText.count(count, "document")); \(cloud); \(names)"
    }
}
