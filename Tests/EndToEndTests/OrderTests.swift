import Glibc
import MountSupport
import SystemPackage
import Testing

/// The order in which a folder's documents stand.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct OrderTests {
    private static let names = ["zebra.txt", "apple.txt", "Mango.txt", "1.txt"]

    @Test func `a folder has the same order on each device`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            for name in Self.names { try (laptop.cloud / name).create(name) }
            try await eventually { try desktop.cloud.documentNames() == Self.names }
            // One that the other device adds stands last on both.
            try (desktop.cloud / "Banana.txt").create("banana")
            for device in [laptop, desktop] {
                try await eventually { try device.cloud.documentNames() == Self.names + ["Banana.txt"] }
            }
            try await desktop.remount()
            #expect(try desktop.cloud.documentNames() == Self.names + ["Banana.txt"])
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `a document that is saved or renamed keeps its place`(container: String) async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.documents / container
            for name in Self.names { try (folder / name).create(name) }
            try (folder / "zebra.txt").write("another text")
            try (folder / "apple.txt").rename(to: folder / "Pear.txt")
            try (folder / "Mango.txt").setAttribute("user.displayName", "Fig")
            #expect(try folder.documentNames() == ["zebra.txt", "Pear.txt", "Fig.txt", "1.txt"])
        }
    }

    @Test func `a document that is moved to another folder stands last there`() async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            for name in ["a.txt", "b.txt"] { try (device.local / name).create(name) }
            try (folder / "there.txt").create()
            for name in ["b.txt", "a.txt"] { try (device.local / name).rename(to: folder / name) }
            #expect(try folder.listing() == ["there.txt", "b.txt", "a.txt"])
        }
    }

    @Test func `.order gives a filename a line, in the order of readdir`() async throws {
        try await withDevice { device in
            for name in Self.names { try (device.local / name).create(name) }
            try (device.local / "Folder").makeFolder()
            try (device.local / ".dotfile").create()
            try (device.local / "note.txt~").create()
            let listed = try device.local.documentNames().filter { $0 != "note.txt~" }
            let text = try (device.local / ".order").text()
            #expect(text == listed.map { $0 + "\n" }.joined())
            #expect(text.split(separator: "\n").suffix(2) == ["Folder", ".dotfile"])
            #expect(try Int((device.local / ".order").linkStatus().st_size) == text.utf8.count)
            #expect(try !device.local.listing().contains(".order"))
            #expect(try (device.local / "Folder" / ".order").text() == "")
            #expect(try (device.documents / ".order").text() == "local\ncloud\n")
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `writing .order reorders: names left out keep their order after the named ones`(container: String) async throws
    {
        try await withDevice { device in
            let folder = device.documents / container
            for name in Self.names { try (folder / name).create(name) }
            let filenames = try folder.documentNames()
            // Either name is accepted.
            try await device.shell("printf '%s\\n1.txt\\n' \(filenames[1]) > \(container)/.order")
            #expect(try folder.documentNames() == [1, 3, 0, 2].map { filenames[$0] })
            try await device.shell("echo zebra.txt > \(container)/.order")
            #expect(try folder.documentNames() == [0, 1, 3, 2].map { filenames[$0] })
            try await device.shell("tac \(container)/.order > order && cp order \(container)/.order && rm order")
            #expect(try folder.documentNames() == [2, 3, 1, 0].map { filenames[$0] })
            try await device.shell("sort -r \(container)/.order -o \(container)/.order")
            #expect(try folder.documentNames() == filenames.sorted().reversed())
            try await device.remount()
            #expect(try folder.documentNames() == filenames.sorted().reversed())
        }
    }

    @Test func `an unknown name in .order is EINVAL, and nothing changes`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names { try (device.local / name).create(name) }
            for script in ["echo nobody.txt > local/.order", "printf 'Mango.txt\\nnobody' > local/.order"] {
                let result = try await device.shell("\(script) || echo refused")
                #expect(result.standardOutput == "refused\n")
            }
            #expect(throws: Errno.invalidArgument) { try (device.local / ".order").write("Mango.txt\nnobody\n") }
            #expect(try device.local.documentNames() == Self.names)
        }
    }

    @Test func `a long .order is written in pieces, and reorders as a whole`() async throws {
        try await withDevice { device in
            let folder = device.local / "Many"
            try folder.makeFolder()
            try await device.shell(
                "cd local/Many && seq -f 'a document with a longer name %g.txt' 3000 | xargs -d '\\n' touch")
            let reversed = Array(try folder.listing().reversed())
            try (device.folder / "order").write(reversed.map { $0 + "\n" }.joined())
            try await device.shell("dd if=../../order of=local/Many/.order bs=1024 conv=notrunc status=none")
            #expect(try folder.listing() == reversed)
        }
    }

    @Test func `.order is no document: it cannot be removed or renamed, and nothing can be renamed to it`() async throws
    {
        try await withDevice(.displayNames) { device in
            try (device.local / "Plan.txt").create("plan")
            let order = device.local / ".order"
            #expect(throws: Errno.notPermitted) { try order.remove() }
            #expect(throws: Errno.notPermitted) { try order.rename(to: device.local / "other") }
            // A program that saves by renaming is told, rather than making a document that hides the order.
            try (device.local / ".goutputstream-ABC123").create("Plan.txt\n")
            #expect(throws: Errno.permissionDenied) { try (device.local / ".goutputstream-ABC123").rename(to: order) }
            try (device.local / ".goutputstream-ABC123").remove()
            #expect(throws: (any Error).self) { try order.setPermissions([.ownerRead]) }
            #expect(try order.text() == "Plan.txt\n" || order.text().hasSuffix(".txt\n"))
        }
    }

    @Test func `a new order appears on the other device`() async throws {
        try await withTwoDevices(.displayNames) { laptop, desktop in
            for name in Self.names { try (laptop.cloud / name).create(name) }
            try await eventually { try desktop.cloud.documentNames() == Self.names }
            try (desktop.cloud / ".order").write("Mango.txt\n")
            for device in [laptop, desktop] {
                try await eventually {
                    try device.cloud.documentNames() == ["Mango.txt", "zebra.txt", "apple.txt", "1.txt"]
                }
            }
        }
    }

    @Test func `documents that migrate keep their order among each other`() async throws {
        try await withDevice(.displayNames) { device in
            for name in Self.names { try (device.local / name).create(name) }
            for name in Self.names.reversed() { try (device.local / name).rename(to: device.cloud / name) }
            #expect(try device.cloud.documentNames() == Self.names)
            for name in Self.names.reversed() { try (device.cloud / name).rename(to: device.local / name) }
            #expect(try device.local.documentNames() == Self.names)
        }
    }
}
