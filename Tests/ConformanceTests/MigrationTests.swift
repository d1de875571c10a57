import Documents
import MountSupport
import SystemPackage
import Testing

/// Semantics, "Moving between local and cloud".
@Suite(.mounting, .timeLimit(.minutes(15)))
struct MigrationTests {
    typealias Containers = (source: String, target: String)

    static let directions: [Containers] = [("local", "cloud"), ("cloud", "local")]

    @Test(arguments: Ground.all, directions)
    func `migrating keeps filename, display name, id, attributes, content and time`(
        ground: Ground, containers: Containers
    ) async throws {
        try await withTree(on: ground) { tree in
            let (before, after): (DocumentPath, DocumentPath) = (
                "\(containers.source)/Groceries.txt", "\(containers.target)/Groceries.txt"
            )
            try tree.create(before, "milk")
            try tree.setAttribute("user.colour", to: Array("green".utf8), of: before)
            try tree.setPermissions([.ownerReadWrite, .groupRead], of: before)
            let (identity, status) = (try tree.identity(before), try tree.status(before))
            try tree.rename(before, to: after)
            #expect(try !tree.exists(before))
            #expect(try tree.identity(after) == identity)
            #expect(try tree.status(after) == status)
            #expect(try tree.textAttribute("user.colour", of: after) == "green")
            #expect(try tree.text(after) == "milk")
            #expect(try tree.state(after)["location"] == containers.target)
            #expect(try tree.list("\(containers.source)") == [])
        }
    }

    @Test(arguments: Ground.all, directions)
    func `a new name in the destination sets the display name`(ground: Ground, containers: Containers) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("\(containers.source)/Groceries.txt", "milk")
            let identity = try tree.identity("\(containers.source)/Groceries.txt")
            try tree.rename("\(containers.source)/Groceries.txt", to: "\(containers.target)/Shopping.txt")
            #expect(
                try tree.identity("\(containers.target)/Shopping.txt")
                    == Identity(id: identity.id, filename: identity.filename, displayName: "Shopping"))
        }
    }

    @Test(arguments: Ground.all, directions)
    func `migrating never overwrites: EEXIST where the destination names another document`(
        ground: Ground, containers: Containers
    ) async throws {
        try await withTree(on: ground) { tree in
            let (source, target): (DocumentPath, DocumentPath) = (
                "\(containers.source)/Groceries.txt", "\(containers.target)/Groceries.txt"
            )
            try tree.create(source, "source")
            try tree.create(target, "target")
            let filename = try tree.filename(target)
            #expect(throws: Errno.fileExists) { try tree.rename(source, to: target) }
            #expect(throws: Errno.fileExists) { try tree.rename(source, to: "\(containers.target)/\(filename)") }
            #expect(throws: Errno.invalidArgument) { try tree.rename(source, to: target, .exchange) }
            #expect(try tree.text(source) == "source")
            #expect(try tree.text(target) == "target")
        }
    }

    @Test(arguments: Ground.all)
    func `into the cloud the rename returns at once, and the upload follows`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            #expect(try tree.state("local/Groceries.txt")["uploading"] == nil)
            try tree.rename("local/Groceries.txt", to: "cloud/Groceries.txt")
            let uploading = try tree.state("cloud/Groceries.txt")["uploading"]
            #expect(["waiting", "uploading", "uploaded"].contains(uploading))
            #expect(try tree.state("cloud/Groceries.txt")["downloading"] == "current")
            try await eventually {
                try tree.state("cloud/Groceries.txt")["uploading"] == "uploaded"
            }
            #expect(try tree.text("cloud/Groceries.txt") == "milk")
        }
    }

    @Test(arguments: Ground.all)
    func `a document that is open stays usable through its open handles`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let document = try tree.open("local/Groceries.txt", .readWrite, .create)
            try document.write("milk\n")
            try tree.rename("local/Groceries.txt", to: "cloud/Groceries.txt")
            try document.write("eggs\n")
            #expect(try tree.text("cloud/Groceries.txt") == "milk\neggs\n")
            try tree.rename("cloud/Groceries.txt", to: "local/Groceries.txt")
            try document.write("bread\n")
            #expect(try document.text() == "milk\neggs\nbread\n")
            try document.close()
            #expect(try tree.text("local/Groceries.txt") == "milk\neggs\nbread\n")
        }
    }

    @Test(arguments: Ground.all, directions)
    func `folders migrate with all they hold, as one step`(ground: Ground, containers: Containers) async throws {
        try await withTree(on: ground) { tree in
            let (trip, moved): (DocumentPath, DocumentPath) = (
                "\(containers.source)/Trip", "\(containers.target)/Trip"
            )
            for folder in [trip, trip / "Days", trip / "Days/Empty", trip / ".hidden"] { try tree.makeFolder(folder) }
            try tree.create(trip / "Plan.txt", "plan")
            try tree.create(trip / "Days/Monday.txt", "monday")
            try tree.create(trip / ".hidden/notes", "notes")
            try tree.create(trip / "scratch.tmp", "scratch")
            try tree.makeSymbolicLink(trip / "link", to: "Days/Monday.txt")
            let names = ["Plan.txt", "Days/Monday.txt"]
            let identities = try names.map { try tree.identity(trip / $0) }
            try tree.rename(trip, to: moved)
            #expect(try !tree.exists(trip))
            #expect(try names.map { try tree.identity(moved / $0) } == identities)
            #expect(try tree.text(moved / "Days/Monday.txt") == "monday")
            #expect(try tree.text(moved / ".hidden/notes") == "notes")
            #expect(try tree.text(moved / "scratch.tmp") == "scratch")
            #expect(try tree.symbolicLinkTarget(moved / "link") == "Days/Monday.txt")
            #expect(try tree.list(moved / "Days/Empty") == [])
        }
    }

    @Test(arguments: Ground.all)
    func `there and back again before the upload is one document still`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt", "milk")
            let identity = try tree.identity("local/Groceries.txt")
            for _ in 1...5 {
                try tree.rename("local/Groceries.txt", to: "cloud/Groceries.txt")
                try tree.rename("cloud/Groceries.txt", to: "local/Groceries.txt")
            }
            #expect(try tree.identity("local/Groceries.txt") == identity)
            #expect(try tree.text("local/Groceries.txt") == "milk")
            #expect(try tree.list("cloud") == [])
        }
    }
}
