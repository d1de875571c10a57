import Testing

@testable import docfs

/// The mount that a command is about where no path is given.
struct NearestMountTests {
    @Test func `it is the one that holds the current folder, else the only one`() throws {
        #expect(try MountedTree.nearest(here: "/b", all: ["/a", "/b"]) == "/b")
        #expect(try MountedTree.nearest(here: nil, all: ["/a"]) == "/a")
    }

    @Test func `without one, and where there are several, a line says what to do`() {
        let none = #expect(throws: CommandFailure.self) { try MountedTree.nearest(here: nil, all: []) }
        #expect(none?.message.contains("docfs mount --help") == true)
        let several = #expect(throws: CommandFailure.self) { try MountedTree.nearest(here: nil, all: ["/a", "/b"]) }
        #expect(several?.message == "several docfs mounts are there: /a, /b; name one of them")
    }
}
