/// The state of a whole mount as `docfs status --json` prints it.
struct MountRecord: Encodable {
    let preferred: String
    /// How many documents have moved to the preferred location, of how many; nil if none are to move.
    let preferredDone: Int?
    let preferredTotal: Int?
    /// What cannot move there, each with the reason.
    let preferredStayed: [String]
    let localDocuments: Int
    let cloudDocuments: Int
    let cloud: String?
    let cloudIsCopy: Bool
    let cloudIsEncrypted: Bool
    let cloudConnection: String
    let cloudError: String?
    let cloudPending: Int
    let cloudUnsentBytes: Int?
    let cloudBytesHere: Int
    let cloudConflicts: Int
    let storeError: String?
    let checkFindings: Int?
    let undo: String?
    let redo: String?
    let trashBytes: Int
    let trashDocuments: Int
    let device: String
    let dataPath: String?

    init(_ state: StateText, dataPath: String?) {
        func number(_ key: String) -> Int { state[key].flatMap { Int($0) } ?? 0 }
        func action(_ key: String) -> String? { state[key] == "-" ? nil : state[key] }
        preferred = state["preferred"] ?? ""
        let moving = (state["preferred.moving"] ?? "").split(separator: " ").compactMap { Int($0) }
        preferredDone = moving.count == 2 ? moving[0] : nil
        preferredTotal = moving.count == 2 ? moving[1] : nil
        preferredStayed = state.pairs.filter { $0.key == "preferred.stayed" }.map(\.value)
        localDocuments = number("local.documents")
        cloudDocuments = number("cloud.documents")
        cloud = state["cloud.url"]
        cloudIsCopy = state["cloud.copy"] == nil
        cloudIsEncrypted = state["cloud.encrypted"] == "yes"
        cloudConnection = state["cloud.connection"] ?? ""
        cloudError = state["cloud.error"]
        cloudPending = number("cloud.pending")
        cloudUnsentBytes = state["cloud.unsent"].flatMap { Int($0) }
        cloudBytesHere = number("cloud.room")
        cloudConflicts = number("cloud.conflicts")
        storeError = state["store.error"]
        checkFindings = state["check.findings"].flatMap { Int($0) }
        undo = action("undo")
        redo = action("redo")
        let trash = (state["trash"] ?? "").split(separator: " ").compactMap { Int($0) }
        trashBytes = trash.first ?? 0
        trashDocuments = trash.last ?? 0
        device = state["device"] ?? ""
        self.dataPath = dataPath
    }
}
