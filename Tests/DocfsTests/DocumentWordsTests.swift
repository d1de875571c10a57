import Testing

@testable import docfs

/// The words that people read of a document's state.
struct DocumentWordsTests {
    private func words(
        _ state: String, _ transfer: String = "current,uploaded", progress: Int? = nil, isKept: Bool = false
    ) -> DocumentWords {
        DocumentWords(
            FolderStateLine(
                indicator: "green", state: state, transfer: transfer, filename: "a.txt", displayName: "a"),
            progress: progress, isKept: isKept)
    }

    @Test(arguments: [
        ("closed", "-", "here"), ("normal", "current,uploaded", "here"),
        ("closed", "notDownloaded,uploaded", "in the cloud only"),
        ("closed", "outdated,uploaded", "newer in the cloud"), ("closed", "current,waiting", "waiting for the cloud"),
        ("closed,inConflict", "current,uploaded", "conflict"),
        ("closed,savingError", "current,waiting", "could not be saved"),
        ("closed,inConflict,savingError", "current,waiting", "could not be saved, conflict"),
        ("closed,editingDisabled,progressAvailable", "downloading,uploaded", "downloading 34 %"),
        ("closed,editingDisabled,progressAvailable", "-", "downloading 34 %"),
        ("closed,progressAvailable", "current,uploading", "uploading 34 %"),
    ])
    func `each state has its words`(state: String, transfer: String, text: String) {
        #expect(words(state, transfer, progress: state.contains("progress") ? 34 : nil).text == text)
    }

    @Test func `what is usual stands back, and what needs somebody stands out`() {
        #expect(words("closed").weight == .usual)
        #expect(words("closed", "notDownloaded,uploaded", isKept: true).text == "kept, and not here yet")
        #expect(words("closed", isKept: true).text == "kept")
        #expect(words("closed", "current,waiting", isKept: true).text == "waiting for the cloud")
        #expect(words("closed", "current,uploading").weight == .remarkable)
        #expect(words("inConflict").weight == .warning)
        #expect(words("inConflict,savingError").weight == .failure)
    }

    @Test(arguments: ["laptop", "desktop"])
    func `mine is what this device made, whichever version is current`(own: String) {
        let theirs = ListedVersion(
            kind: .conflict, name: "desktop 2026-11-21 04.12.33.txt", path: "/nowhere", size: 4, modifiedSeconds: 0)
        let versions = DocumentVersions(
            path: "/nowhere/else", state: StateText("displayName: Plan"), conflicts: [theirs], versions: [])
        let lines = ConflictOverview(versions, on: DeviceNames(own: own, current: "laptop"))
            .text(TerminalFacts(isTerminal: true, windowWidth: 80, environment: [:])).split(separator: "\n")
        #expect(lines[1].contains(own == "laptop" ? "mine, current" : "theirs, current"))
        #expect(lines[2].contains(own == "laptop" ? "theirs" : "mine"))
    }
}
