/// Each key that `--json` prints, and what it means (`docfs help json`). A key means the same in the output of each command.
struct JSONKey {
    enum Value: String {
        case text, number, flag, texts
    }

    let name: String
    let value: Value
    let meaning: String

    private init(_ name: String, _ value: Value, _ meaning: String) {
        self.name = name
        self.value = value
        self.meaning = meaning
    }

    static let groups: [(title: String, keys: [JSONKey])] = [
        (
            "A document (ls, status, query, watch)",
            [
                .init("path", .text, "a path by which it can be opened"),
                .init("displayName", .text, "its name, without the extension"),
                .init("extension", .text, "the extension of its name"),
                .init("filename", .text, "the name that was generated for it"),
                .init("indicator", .text, "green, yellow or red"),
                .init("state", .texts, "the flags that hold (docfs help states)"),
                .init("downloading", .text, "notDownloaded, downloading, current or outdated"),
                .init("uploading", .text, "waiting, uploading or uploaded"),
                .init("progress", .number, "percent of the transfer under way"),
                .init("kept", .flag, "whether it always stays here"),
                .init("size", .number, "bytes"),
                .init("modified", .text, "when it was last changed"),
                .init("id", .text, "its UUID"),
                .init("location", .text, "local or cloud"),
                .init("conflicts", .number, "versions in conflict"),
                .init("error", .text, "the last failure, and what happens next"),
            ]
        ),
        (
            "A change (watch, query --watch)",
            [
                .init("event", .text, "found, added, changed, removed, or ended (the mount has ended)"),
                .init("oldState", .texts, "the flags before the change"),
            ]
        ),
        (
            "A mount (status, mounts)",
            [
                .init("mountpoint", .text, "where it is"),
                .init("store", .text, "the folder of its store"),
                .init("since", .text, "when it was mounted"),
                .init("device", .text, "the name of the device (of a version: that made it)"),
                .init("preferred", .text, "local or cloud"),
                .init("preferredDone", .number, "documents that have moved to the preferred location"),
                .init("preferredTotal", .number, "documents that move there"),
                .init("preferredStayed", .texts, "what cannot move, with the reasons"),
                .init("localDocuments", .number, "documents on this machine"),
                .init("cloudDocuments", .number, "documents in the cloud"),
                .init("cloud", .text, "the URL of the container"),
                .init("cloudIsCopy", .flag, "false where the container is on the disk of the documents themselves"),
                .init("cloudIsEncrypted", .flag, "whether the keeper of the container cannot read it"),
                .init("cloudConnection", .text, "online, offline, unauthorized, or an error"),
                .init("cloudError", .text, "why the cloud cannot be used"),
                .init("cloudPending", .number, "changes that are still to be sent"),
                .init("cloudUnsentBytes", .number, "bytes of contents that are still to be sent"),
                .init(
                    "cloudBytesHere", .number,
                    "bytes that the contents of the cloud's documents take on this disk"),
                .init("cloudConflicts", .number, "versions in conflict"),
                .init("storeError", .text, "why the disk of the documents takes no changes; absent if it does"),
                .init(
                    "checkFindings", .number, "what the last docfs check left to repair; absent if nothing"),
                .init("undo", .text, "what docfs undo would undo"),
                .init("redo", .text, "what docfs redo would do again"),
                .init("trashBytes", .number, "what the trash takes on this disk"),
                .init("trashDocuments", .number, "documents in the trash of this device"),
                .init("dataPath", .text, "how contents are read and written"),
            ]
        ),
        (
            "A version (versions), an action (undo --list), a document in the trash (trash)",
            [
                .init("name", .text, "its name"),
                .init("kind", .text, "of a version: version or conflict; of an action: what was done"),
                .init("time", .text, "when it was done"),
                .init("place", .text, "the folder, below Documents"),
                .init("key", .text, "names it for docfs trash restore"),
                .init("deleted", .text, "when it was deleted"),
            ]
        ),
        (
            "An outcome (undo, redo, new, sort, check)",
            [
                .init("undone", .text, "the name of the action"),
                .init("redone", .text, "the name of the action"),
                .init("sort", .text, "what a folder is sorted by"),
                .init("isWhole", .flag, "whether nothing is left to repair"),
                .init("findings", .texts, "what was found, one line each"),
            ]
        ),
    ]

    /// The keys for the help.
    static var page: String {
        groups.map { group in
            let width = group.keys.map(\.name.count).max() ?? 0
            let lines = group.keys.map { key in
                "  " + key.name + String(repeating: " ", count: width - key.name.count)
                    + "  \(key.value.rawValue): \(key.meaning)"
            }
            return "\(group.title):\n\n" + lines.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
