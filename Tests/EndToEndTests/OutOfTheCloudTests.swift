import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct OutOfTheCloudTests {
    @Test func `out of the cloud: at once if the content is here, and the cloud copy is withdrawn`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let inCloud = laptop.cloud / "Groceries.txt"
            try inCloud.create("milk")
            try await laptop.waitUntilUploaded(inCloud)
            try await eventually { (desktop.cloud / "Groceries.txt").exists }
            let document = laptop.local / "Groceries.txt"
            try inCloud.rename(to: document)
            #expect(try document.text() == "milk")
            let state = try document.state()
            #expect(state["location"] == "local")
            #expect(!state.flags.contains("editingDisabled"))
            #expect(state["downloading"] == nil)
            #expect(state["uploading"] == nil)
            try await eventually { !(desktop.cloud / "Groceries.txt").exists }
            #expect(try (laptop.storedLocal / document.filename()).text() == "milk")
        }
    }

    /// Moves a large document that is not here out of the cloud. Most of its content is held until the holder is released.
    private static func withDocumentBeingFetched(
        perform body: (
            _ document: FilePath, _ original: FilePath, _ content: LargeContent, Identity, _ holder: HeldServer
        ) async throws -> Void
    ) async throws {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withTwoDevices(options) { laptop, desktop in
            let content = LargeContent(pieces: 16)
            let original = laptop.cloud / "Film.bin"
            try content.write(to: original)
            try await laptop.waitUntilUploaded(original)
            let placeholder = desktop.cloud / "Film.bin"
            try await eventually { try placeholder.state()["downloading"] == "notDownloaded" }
            let identity = try placeholder.identity()
            let document = desktop.local / "Film.bin"
            holder.hold(.replies, after: 4 << 20)
            try placeholder.rename(to: document)
            #expect(!placeholder.exists)
            try await body(document, original, content, identity, holder)
        }
    }

    @Test
    func `out of the cloud: a document that is not here is fetched first, and then withdrawn`()
        async throws
    {
        try await Self.withDocumentBeingFetched { document, original, content, identity, holder in
            #expect(original.exists)
            holder.release()
            // Opening waits for the content.
            let start = try document.open(.readOnly)
            #expect(try start.read(count: 4096, at: 0) == Array(content.piece(0).prefix(4096)))
            #expect(try content.matches(document))
            #expect(try document.identity() == identity)
            try start.close()
            try await eventually { !original.exists }
            try await eventually { try document.state()["state"] == "closed" }
            #expect(try document.state()["location"] == "local")
            #expect(try document.state()["progress"] == nil)
        }
    }

    @Test
    func `out of the cloud: until its content is here a document is editingDisabled with progress`()
        async throws
    {
        try await Self.withDocumentBeingFetched { document, _, content, _, holder in
            #expect(try document.state()["location"] == "local")
            // There is no progress before the transfer begins.
            try await eventually { try document.state()["progress"] != nil && holder.isHolding(.replies) }
            let state = try document.state()
            #expect(state.flags.contains("editingDisabled"))
            let progress = try #require(state["progress"].flatMap { Int($0) })
            #expect((0..<100).contains(progress))
            holder.release()
            try await eventually { try document.state()["state"] == "closed" }
            #expect(try content.matches(document))
        }
    }

    @Test
    func
        `out of an unreachable cloud: a document that is here moves, one that is not is EHOSTUNREACH`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            try (laptop.cloud / "Here.txt").create("here")
            try (laptop.cloud / "There.txt").create("there")
            try await eventually { try (desktop.cloud / "Here.txt").text() == "here" }
            try await eventually { (desktop.cloud / "There.txt").exists }
            try laptop.cloudDirectory.disconnect()
            try await eventually { try desktop.treeState()["cloud.connection"] == "offline" }
            #expect(throws: Errno.noRouteToHost) {
                try (desktop.cloud / "There.txt").rename(to: desktop.local / "There.txt")
            }
            #expect((desktop.cloud / "There.txt").exists)
            #expect(!(desktop.local / "There.txt").exists)
            try (desktop.cloud / "Here.txt").rename(to: desktop.local / "Here.txt")
            #expect(try (desktop.local / "Here.txt").text() == "here")
            try laptop.cloudDirectory.reconnect()
            try await eventually { !(laptop.cloud / "Here.txt").exists }
            #expect(try (laptop.cloud / "There.txt").text() == "there")
        }
    }
}
