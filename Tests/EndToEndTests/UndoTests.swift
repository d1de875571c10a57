import Foundation
import Glibc
import MountSupport
import SystemPackage
import Testing

/// Undo and redo with real programs.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct UndoTests {
    private static func list(_ device: Device, _ name: String = ".undo") throws -> [String] {
        try (device.documents / name).text().split(separator: "\n").map(String.init)
    }

    @Test func `one command over many documents is one action`() async throws {
        try await withDevice { device in
            try await device.shell("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo text $n > local/$n.txt; done")
            let before = try device.local.folderState().rows.map(\.filename)
            try await device.shell("cd local && rm *.txt")
            #expect(try device.local.documentNames() == [])
            #expect(try Self.list(device).first == "Delete 12 documents")
            #expect(try device.treeState()["undo"] == "Delete 12 documents")
            let result = try await device.docfs("undo", device.local.string)
            #expect(result.exitStatus == 0)
            #expect(result.standardOutput == "Undid: Delete 12 documents\n")
            #expect(try device.local.folderState().rows.map(\.filename) == before)
            #expect(try (device.local / "7.txt").text() == "text 7\n")
            #expect(
                try await device.docfs("redo", device.local.string).standardOutput == "Redid: Delete 12 documents\n")
            #expect(try device.local.documentNames() == [])
        }
    }

    @Test func `rm -r is one action, and folders come back with all that was in them`() async throws {
        try await withDevice { device in
            try await device.shell(
                """
                mkdir -p local/Trip/Inner; echo a > local/Trip/a.txt; echo b > local/Trip/Inner/b.txt
                ln -s a.txt local/Trip/link; chmod 750 local/Trip/Inner; setfattr -n user.colour -v red local/Trip
                touch -d 2020-01-01T00:00:00.123456789Z local/Trip/a.txt local/Trip/Inner local/Trip
                """)
            let look =
                "cd local; find . | sort; stat -c '%n %a %y' Trip Trip/Inner Trip/a.txt; getfattr -d Trip; cat Trip/Inner/b.txt Trip/link"
            let before = try await device.shell(look).standardOutput
            try await device.shell("rm -r local/Trip")
            #expect(try Self.list(device).first == "Delete folder “Trip” with 2 documents")
            try await device.shell("echo 1 > .undo")
            #expect(try await device.shell(look).standardOutput == before)
            #expect(try Self.list(device, ".redo") == ["Delete folder “Trip” with 2 documents"])
            try await device.shell("echo 1 > .redo; echo 1 > .undo")
            #expect(try await device.shell(look).standardOutput == before)
        }
    }

    @Test func `mv of many is one action`() async throws {
        try await withDevice { device in
            try await device.shell("for n in a b c; do echo $n > local/$n.txt; done; mkdir local/Trip")
            try await device.shell("cd local && mv *.txt Trip/")
            #expect(try Self.list(device).first == "Move 3 documents to “Trip”")
            try await device.shell("echo 1 > .undo")
            #expect(try device.local.folderState().rows.map(\.displayName) == ["a", "b", "c"])
        }
    }

    @Test func `undo survives unmounting and killing`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            let identity = try (device.local / "Groceries.txt").identity()
            try await device.shell("rm local/Groceries.txt")
            try await device.remount()
            #expect(try Self.list(device).first == "Delete “Groceries”")
            try await device.crash()
            try await device.mount()
            #expect(try await device.docfs("undo", device.local.string).standardOutput == "Undid: Delete “Groceries”\n")
            try await device.crash()
            try await device.mount()
            #expect(try (device.local / "Groceries.txt").identity() == identity)
            #expect(try (device.local / "Groceries.txt").text() == "milk")
        }
    }

    @Test func `what is removed just before docfs is killed comes back`() async throws {
        try await withDevice { device in
            for name in ["a", "b", "c"] { try (device.local / "\(name).txt").create(name) }
            try await device.remount()
            try await device.shell("rm local/*.txt")
            try await device.crash()
            try await device.mount()
            #expect(try device.local.documentNames() == [])
            #expect(try await device.docfs("undo", device.local.string).standardOutput == "Undid: Delete 3 documents\n")
            #expect(try device.local.folderState().rows.map(\.displayName).sorted() == ["a", "b", "c"])
        }
    }

    @Test func `the command lists what would be undone, and says why it cannot`() async throws {
        try await withDevice { device in
            let nothing = try await device.docfs("undo", device.documents.string)
            #expect(nothing.exitStatus == 1)
            #expect(nothing.oneErrorLine == "docfs: cannot undo: there is nothing to undo")
            try (device.local / "a.txt").create("a")
            try await device.shell("mv local/a.txt local/b.txt")
            let list = try await device.docfs("undo", "--list", device.documents.string)
            #expect(list.lines == ["Rename “a” to “b”", "Create “a”"])
            struct Action: Decodable { let name: String, kind: String, time: String, place: String? }
            let json = try await device.docfs("undo", "--list", "--json", device.documents.string)
            let actions = try JSONDecoder().decode([Action].self, from: Data(json.standardOutput.utf8))
            #expect(actions.map(\.name) == list.lines && actions.map(\.kind) == ["rename", "create"])
            #expect(actions.allSatisfy { $0.place == "local" })
            #expect(actions.allSatisfy { $0.time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil })
            #expect(
                try await device.docfs("undo", "--json", device.documents.string).standardOutput.contains(
                    #""undone":"Rename"#))
            #expect(throws: (any Error).self) {
                try (device.documents / ".undo").open(.writeOnly, [.create, .exclusiveCreate])
            }
        }
    }

    @Test func `a number undoes so many actions, and says where it has to stop`() async throws {
        try await withDevice { device in
            for name in ["a", "b", "c"] { try await device.shell("echo \(name) >local/\(name).txt") }
            let two = try await device.docfs("undo", "2", device.local.string)
            #expect(two.lines == ["Undid: Create “c”", "Undid: Create “b”"])
            #expect(try device.local.folderState().rows.map(\.displayName) == ["a"])
            #expect(try await device.docfs("redo", "2", device.local.string).lines.count == 2)
            #expect(try device.local.folderState().rows.map(\.displayName) == ["a", "b", "c"])
            let many = try await device.docfs("undo", "9", device.local.string)
            #expect(many.exitStatus == 1 && many.lines.count == 3)
            #expect(many.oneErrorLine == "docfs: cannot undo: there is nothing to undo")
            #expect(try await device.docfs("undo", "1", device.local.string, "more").exitStatus == 64)
            #expect(try await device.docfs("undo", "0", device.local.string).exitStatus == 64)
        }
    }

    @Test func `writing undoes one action, and fails with an errno`() async throws {
        try await withDevice { device in
            try (device.local / "a.txt").create("a")
            let file = try (device.documents / ".undo").open(.writeOnly)
            try file.write("1")
            try file.write("2")
            try file.close()
            #expect(try device.local.documentNames() == [])
            let again = try (device.documents / ".undo").open(.writeOnly)
            #expect(throws: Errno.noData) { try again.write("1") }
            try again.close()
            #expect(try (device.documents / ".redo").text() == "Create “a”\n")
            #expect(try !device.documents.listing().contains(".undo"))
        }
    }

    @Test func `saves are no actions`() async throws {
        try await withDevice { device in
            try (device.local / "a.txt").create("old")
            try await device.shell(
                """
                cd local; echo one > a.txt.tmp && mv a.txt.tmp a.txt; sed -i s/one/two/ a.txt
                mv a.txt a.txt~ && echo three > a.txt; rm a.txt && echo four > a.txt
                """)
            #expect(try Self.list(device) == ["Create “a”"])
            #expect(try device.treeState()["trash"] == "0 in 0 documents")
        }
    }

    @Test func `the trash is told in the state of the tree`() async throws {
        try await withDevice { device in
            try (device.local / "a.txt").create("12345")
            try (device.local / "a.txt").remove()
            #expect(try device.treeState()["trash"] == "5 in 1 document")
            try await device.shell("echo 1 > .undo")
            #expect(try device.treeState()["trash"] == "0 in 0 documents")
            #expect(try device.treeState()["undo"] == "Create “a”")
            #expect(try device.treeState()["redo"] == "Delete “a”")
        }
    }
}
