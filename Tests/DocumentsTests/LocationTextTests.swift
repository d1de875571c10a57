import Documents
import Testing

struct LocationTextTests {
    @Test(arguments: [("local", Container.local), ("local\n", .local), ("cloud", .cloud), ("cloud\n", .cloud)])
    func `a location is one of two words, with a line feed or without`(text: String, container: Container) {
        #expect(LocationText.container(Array(text.utf8)) == container)
    }

    @Test(arguments: ["", "\n", "Local", "local ", "local\n\n", "cloud local", "nas"])
    func `any other text is none`(text: String) {
        #expect(LocationText.container(Array(text.utf8)) == nil)
    }

    @Test func `the text that is read can be written`() {
        for container in [Container.local, .cloud] {
            #expect(LocationText.container(Array(LocationText.text(container).utf8)) == container)
        }
    }

    @Test func `the state of the tree says how far a move is, and what stayed`() {
        var state = TreeState(
            preferred: .cloud, localDocuments: 1, cloudDocuments: 2, connection: "online", pending: 0, conflicts: 0,
            undo: nil, redo: nil, trashedDocuments: 0, trashedBytes: 0, device: "laptop")
        #expect(!state.text.contains("preferred."))
        state.preferredMove = PreferredMoveState(moving: (3, 10), stayed: [("Plan.txt", "it is in conflict")])
        #expect(
            state.text.hasPrefix(
                "preferred: cloud\npreferred.moving: 3 of 10\npreferred.stayed: Plan.txt: it is in conflict\n"))
    }
}
