import Catalog
import Documents
@testable import Library
import Testing

/// The rules by which changes of other devices and pending changes of this one are shown together.
@Suite(.timeLimit(.minutes(15)))
struct ProjectionTests {
    // MARK: Moves

    @Test func `a pending move stays on top of a move elsewhere`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.makeFolder("Folder")
            try await laptop.push()
            try await phone.pull()
            try phone.rename("Folder", to: "By phone")
            try laptop.rename("Folder", to: "By laptop")
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["By phone"])
            #expect(try phone.entry("By phone").pending.contains(.place))
        }
    }

    @Test func `a move elsewhere into a folder takes back the pending move that put the folder inside the entry`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            for name in ["A", "B"] { try laptop.makeFolder(name) }
            try await laptop.push()
            try await phone.pull()
            try phone.move("A", from: .cloud, to: phone.makeFolder("Inner", in: phone.inode("B")))
            try laptop.move("B", from: .cloud, to: laptop.inode("A"))
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == ["A"])
            #expect(try phone.names(in: phone.inode("A")) == ["B"])
            #expect(try phone.names(in: phone.inode("B", in: phone.inode("A"))) == ["Inner"])
        }
    }

    @Test func `what was only renamed here is not taken back`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.makeFolder("X")
            try laptop.makeFolder("sub", in: laptop.makeFolder("B"))
            try await laptop.push()
            try await phone.pull()
            let inner = try phone.inode("B")
            try phone.rename("sub", in: inner, to: "renamed")
            try phone.move("B", from: .cloud, to: phone.inode("X"))
            try laptop.move("X", from: .cloud, to: laptop.inode("sub", in: laptop.inode("B")))
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["B"])
                let inner = try device.inode("B")
                #expect(try device.names(in: inner) == ["renamed"])
                #expect(try device.names(in: device.inode("renamed", in: inner)) == ["X"])
            }
        }
    }

    @Test func `an entry gives up its filename to the folder that it goes into`() async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("P")
            try laptop.makeFolder("n", in: folder)
            let other = try laptop.makeFolder("n2", in: folder)
            try await laptop.push()
            try await phone.pull()
            // The phone has no row of it any more, and must make one.
            try phone.library.removeFolder(Array("n2".utf8), in: phone.inode("P"))
            try laptop.rename("n", in: folder, to: "x", in: other)
            try laptop.rename("n2", in: folder, to: "n")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names(in: device.inode("P")) == ["n"])
                #expect(try device.names(in: device.inode("n", in: device.inode("P"))) == ["x"])
            }
        }
    }

    /// The phone reads both commits after its own move, and each by itself.
    @Test func `of folders that were moved into each other and out again all devices have the same`() async throws {
        try await withTwoDevices { laptop, phone in
            try laptop.makeFolder("A")
            try laptop.makeFolder("Inner", in: laptop.makeFolder("B"))
            try await laptop.push()
            try await phone.pull()
            try phone.move("A", from: .cloud, to: phone.inode("Inner", in: phone.inode("B")))
            try laptop.move("B", from: .cloud, to: laptop.inode("A"))
            try await laptop.push()
            try laptop.move("Inner", from: laptop.inode("B", in: laptop.inode("A")), to: .cloud)
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.names() == ["A", "Inner"])
                #expect(try device.names(in: device.inode("A")) == ["B"])
                #expect(try device.names(in: device.inode("Inner")) == [])
            }
        }
    }

    @Test func `an entry is inserted with its folder where the folder moved out of the cloud on this device`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            try await laptop.push()
            try await phone.pull()
            try phone.move("Folder", from: .cloud, to: .local)
            try laptop.create(".new", "new", in: folder)
            try await laptop.push()
            try await phone.pull()
            // The phone's withdrawal of the folder is pending: the document waits at the top.
            #expect(try phone.names() == [".new"])
            #expect(try phone.names(in: .local) == ["Folder"])
        }
    }

    // MARK: Filenames

    @Test(arguments: [false, true])
    func `an entry gives up a filename that the container gives to another`(isScratch: Bool) async throws {
        try await withTwoDevices { laptop, phone in
            let name = isScratch ? "draft.tmp" : "Trip"
            if isScratch { try phone.create(name, "scratch") } else { try phone.makeFolder(name) }
            try laptop.makeFolder(name)
            try await laptop.push()
            try await phone.pull()
            let other = isScratch ? "draft (phone).tmp" : "Trip (phone)"
            #expect(try phone.names() == [other, name].sorted())
            #expect(try phone.entry(name).pending == [])
            #expect(try phone.entry(other).kind == (isScratch ? .scratch : .folder))
            #expect(try phone.entry(other).pending.contains(.place) == !isScratch)
        }
    }

    // MARK: Deletions

    @Test func `a document that was edited here survives a deletion elsewhere, one that was renamed does not`()
        async throws
    {
        try await withTwoDevices { laptop, phone in
            for name in [".edited", ".renamed"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            try await phone.save(".edited", "by the phone")
            try phone.rename(".renamed", to: ".other")
            for name in [".edited", ".renamed"] { try laptop.remove(name) }
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names() == [".edited"])
            #expect(try phone.entry(".edited").pending == [.creation, .content])
        }
    }

    @Test func `a folder with a document that was made here survives a deletion elsewhere`() async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            try laptop.create(".a", "a", in: folder)
            try await laptop.push()
            try await phone.pull()
            try phone.create(".b", "b", in: phone.inode("Folder"))
            try laptop.remove(".a", in: folder)
            try laptop.library.removeFolder(Array("Folder".utf8), in: .cloud)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.names(in: phone.inode("Folder")) == [".b"])
            #expect(try phone.entry("Folder").pending == [.creation])
            try await phone.push()
            try await laptop.pull()
            #expect(try laptop.names(in: laptop.inode("Folder")) == [".b"])
        }
    }
}
