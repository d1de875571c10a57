import Documents
import Testing

struct VirtualNameTests {
    @Test func `.state is the state of the folder it is looked up in`() {
        #expect(VirtualName(".state") == .folderState)
        #expect(VirtualName(".order") == .folderOrder)
        #expect(VirtualName("A.order") == nil)
    }

    @Test(arguments: [
        ("Groceries.txt.state", "Groceries.txt"), ("README.state", "README"), (".state.state", ".state"),
        (".bashrc.state", ".bashrc"), ("a b.state", "a b"), ("..state", "."),
    ])
    func `F.state is the state of F`(name: String, document: String) {
        #expect(VirtualName(name) == .documentState(of: document))
    }

    @Test(arguments: [
        ("Plan.txt.conflicts", VersionFolder.conflicts, "Plan.txt"), ("Plan.txt.versions", .history, "Plan.txt"),
        ("a b.versions", .history, "a b"), (".conflicts.conflicts", .conflicts, ".conflicts"),
    ])
    func `F.conflicts and F.versions are folders of F`(name: String, folder: VersionFolder, document: String) {
        #expect(VirtualName(name) == .versions(folder, of: document))
    }

    @Test(arguments: [
        "", ".conflicts", ".versions", "versions", "a.version", "state", "a.state.txt", "a.State", ".states", "a.stat",
        "a.state ", "astate",
    ])
    func `any other name is not virtual`(name: String) {
        #expect(VirtualName(name) == nil)
    }

    @Test(arguments: ["caf\u{e9}", "cafe\u{301}", "x\u{301}"])
    func `F is kept byte for byte`(document: String) throws {
        guard case .documentState(let found) = try #require(VirtualName(document + ".state")) else {
            Issue.record("it is the state of a folder")
            return
        }
        #expect(bytes(found) == bytes(document))
    }
}
