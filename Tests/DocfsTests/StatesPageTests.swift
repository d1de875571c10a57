import Documents
import Testing

@testable import docfs

/// `docfs help states` explains all that is said of a state.
struct StatesPageTests {
    private static let page = StatesCommand.page

    /// The terms that the page explains: what stands at the begin of an indented line.
    private static var terms: Set<String> {
        Set(
            page.split(separator: "\n").filter { $0.hasPrefix("  ") }.map { line in
                let text = line.drop { $0 == " " }
                return text.firstRange(of: "  ").map { String(text[..<$0.lowerBound]) } ?? String(text)
            })
    }

    private static func keys(_ text: String) -> Set<String> { Set(StateText(text).pairs.map(\.key)) }

    @Test func `each key of a document's state`() {
        let state = DocumentState(
            flags: [], displayName: "Plan", filename: "1.txt", id: .cloudRoot, location: .cloud, size: 1,
            modified: Timestamp(nanoseconds: 0), downloading: .current, uploading: .uploaded, progress: 1, conflicts: 1,
            error: "e")
        #expect(Self.keys(state.text).count == 13)
        #expect(Self.keys(state.text).subtracting(Self.terms) == [])
    }

    @Test func `each key of the mount's state`() {
        var state = TreeState(
            preferred: .local, localDocuments: 1, cloudDocuments: 1, connection: "online", pending: 1, conflicts: 1,
            device: "desk")
        state.preferredMove = PreferredMoveState(moving: (1, 2), stayed: [("Plan.txt", "it is in conflict")])
        state.connectionError = "e"
        state.cloudURL = "file:///c"
        state.isCloudBesideStore = true
        state.isCloudEncrypted = true
        state.pendingBytes = 1
        state.findings = 1
        state.storeError = "e"
        #expect(Self.keys(state.text).count == 20)
        #expect(Self.keys(state.text).union(["data path"]).subtracting(Self.terms) == [])
    }

    @Test func `each flag, and each word for people`() {
        let flags = Set(StateFlag.allCases.map(\.rawValue) + ["normal"])
        #expect(flags.subtracting(Self.terms) == [])
        let words = Set(
            DocumentWords.Word.allCases.map {
                [.arriving, .sending].contains($0) ? $0.english(" 34 %") : $0.english("")
            })
        #expect(words.subtracting(Self.terms) == [])
    }
}
