import MountSupport
import SystemPackage
import Testing

/// Semantics, "Display names": the attributes that say and set a name.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct DisplayNameTests {
    @Test(arguments: Ground.all, Listing.allCases)
    func `setting user.displayName names a document`(ground: Ground, listing: Listing) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/Groceries.txt", "milk")
            let identity = try tree.identity("local/Groceries.txt")
            try tree.setDisplayName("Shopping", of: "local/Groceries.txt")
            #expect(try !tree.exists("local/Groceries.txt"))
            #expect(
                try tree.identity("local/Shopping.txt")
                    == Identity(id: identity.id, filename: identity.filename, displayName: "Shopping"))
            #expect(try tree.text("local/\(identity.filename)") == "milk")
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: [UInt8]
        let error: Errno
    }

    static let refusals = [
        Refusal(testDescription: "empty", value: [], error: .invalidArgument),
        Refusal(testDescription: "with NUL", value: Array("a\0b".utf8), error: .invalidArgument),
        Refusal(testDescription: "with /", value: Array("a/b".utf8), error: .invalidArgument),
        Refusal(testDescription: "not UTF-8", value: [0x61, 0xC3, 0x28], error: .illegalByteSequence),
        Refusal(
            testDescription: "252 bytes and .txt", value: Array(repeating: 0x61, count: 252), error: .fileNameTooLong),
    ]

    @Test(arguments: Ground.all, refusals)
    func `a display name that cannot be a name is refused, with nothing changed`(ground: Ground, refusal: Refusal)
        async throws
    {
        try await withTree(on: ground, showing: .displayNames) { tree in
            try tree.create("local/Groceries.txt", "milk")
            let identity = try tree.identity("local/Groceries.txt")
            #expect(throws: refusal.error) {
                try tree.setAttribute("user.displayName", to: refusal.value, of: "local/Groceries.txt")
            }
            #expect(try tree.identity("local/Groceries.txt") == identity)
            #expect(try tree.list("local") == ["Groceries.txt"])
        }
    }

    @Test(arguments: Ground.all, Listing.allCases)
    func `user.displayName is not listed, and user.document.name only in a listing of filenames`(
        ground: Ground, listing: Listing
    ) async throws {
        try await withTree(on: ground, showing: listing) { tree in
            try tree.create("local/Groceries.txt")
            let names = listing == .filenames ? ["user.document.name"] : []
            #expect(try tree.attributeNames(of: "local/Groceries.txt") == names)
            #expect(try tree.textAttribute("user.document.name", of: "local/Groceries.txt") == "Groceries")
            // Not a document that was created under a generated filename: set and removed, it changes nothing.
            try tree.setAttribute("user.document.name", to: Array("Other".utf8), of: "local/Groceries.txt")
            try tree.removeAttribute("user.document.name", of: "local/Groceries.txt")
            #expect(try tree.displayName("local/Groceries.txt") == "Groceries")
        }
    }

    @Test(arguments: Ground.all)
    func `a backup that is restored gives each document its name back`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            let filename = "2026-11-21-041233-7f3a.txt"
            try tree.create("local/\(filename)", "milk")
            try tree.setAttribute("user.document.name", to: Array("Groceries".utf8), of: "local/\(filename)")
            #expect(try tree.displayName("local/\(filename)") == "Groceries")
            #expect(try tree.text("local/Groceries.txt") == "milk")
        }
    }

    @Test(arguments: Ground.all)
    func `computed attributes can be read and not written, and are not listed`(ground: Ground) async throws {
        try await withTree(on: ground) { tree in
            try tree.create("local/Groceries.txt")
            for name in ["user.document.state", "user.document.id", "user.document.filename"] {
                let value = try tree.attribute(name, of: "local/Groceries.txt")
                #expect(!value.isEmpty, "\(name)")
                #expect(throws: Errno.notPermitted) {
                    try tree.setAttribute(name, to: Array("x".utf8), of: "local/Groceries.txt")
                }
                #expect(throws: Errno.notPermitted) { try tree.removeAttribute(name, of: "local/Groceries.txt") }
                #expect(try tree.attribute(name, of: "local/Groceries.txt") == value)
            }
            #expect(try tree.attributeNames(of: "local/Groceries.txt") == ["user.document.name"])
        }
    }

    @Test(arguments: Ground.all, ["local", "cloud"])
    func `other user attributes are stored byte for byte and go wherever the document goes`(
        ground: Ground, container: String
    ) async throws {
        try await withTree(on: ground) { tree in
            let value = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
            try tree.create("\(container)/Groceries.txt")
            try tree.setAttribute("user.colour", to: value, of: "\(container)/Groceries.txt")
            try tree.rename("\(container)/Groceries.txt", to: "\(container)/Shopping.md")
            #expect(try tree.attribute("user.colour", of: "\(container)/Shopping.md") == value)
            #expect(try tree.attributeNames(of: "\(container)/Shopping.md").contains("user.colour"))
            try tree.removeAttribute("user.colour", of: "\(container)/Shopping.md")
            #expect(throws: Errno.noData) { try tree.attribute("user.colour", of: "\(container)/Shopping.md") }
            #expect(throws: Errno.noData) { try tree.removeAttribute("user.colour", of: "\(container)/Shopping.md") }
        }
    }
}
