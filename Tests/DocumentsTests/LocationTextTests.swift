import Documents
import Testing

struct LocationTextTests {
    @Test(arguments: [("local", Location.local), ("local\n", .local), ("cloud", .cloud), ("cloud\n", .cloud)])
    func `a location is one of two words, with a line feed or without`(text: String, location: Location) {
        #expect(LocationText.location(Array(text.utf8)) == location)
    }

    @Test(arguments: ["", "\n", "Local", "local ", "local\n\n", "cloud local", "nas"])
    func `any other text is none`(text: String) {
        #expect(LocationText.location(Array(text.utf8)) == nil)
    }

    @Test func `the text that is read can be written`() {
        for location in [Location.local, .cloud] {
            #expect(LocationText.location(Array(LocationText.text(location).utf8)) == location)
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
