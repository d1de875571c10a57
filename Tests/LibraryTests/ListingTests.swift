import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import SystemPackage
import Testing

/// Listings, and when the kernel must forget them.
@Suite(.timeLimit(.minutes(15)))
struct ListingTests {
    @Test(arguments: [false, true])
    func `a listing under way shows a document once that another device saves, with its attributes`(
        showsDisplayNames: Bool
    ) async throws {
        try await withTwoDevices(showDisplayNames: showsDisplayNames) { laptop, phone in
            for name in ["A.txt", "B.txt", "C.txt", "D.txt"] { try laptop.create(name, name) }
            try await laptop.push()
            try await phone.pull()
            let names = try phone.library.list(.cloud)
            try await laptop.save("B.txt", "another content")
            try laptop.remove("D.txt")
            try await laptop.push()
            try await phone.pull()
            var sizes: [Int64] = []
            for (name, listed) in zip(names, try phone.library.listed(names, in: .cloud)) {
                switch listed {
                case .entry(let resolved):
                    sizes.append(resolved.attributes.size)
                    #expect(resolved.node == .entry(try phone.inode(name.name)))
                case .name: Issue.record("\(name.name) is not what was listed")
                case .gone: #expect(!phone.exists(name.name))
                }
            }
            #expect(sizes == [5, 15, 5])
        }
    }

    @Test(arguments: [false, true])
    func `a listing under way shows a renamed entry by its old name, which the kernel does not cache`(
        isSaved: Bool
    ) async throws {
        try await withTwoDevices(showDisplayNames: true) { laptop, phone in
            try laptop.create("A.txt", "content")
            try laptop.makeFolder("Folder")
            try await laptop.push()
            try await phone.pull()
            let names = try phone.library.list(.cloud)
            if isSaved { try await laptop.save("A.txt", "another content") }
            try laptop.rename("A.txt", to: "B.txt")
            try laptop.rename("Folder", to: "Other")
            try await laptop.push()
            try await phone.pull()
            for listed in try phone.library.listed(names, in: .cloud) {
                guard case .name = listed else {
                    Issue.record("\(listed)")
                    continue
                }
            }
        }
    }

    @Test func `a listing under way does not show an entry that was moved to another folder`() async throws {
        try await withDevice { device in
            try device.create("A.txt", "content")
            try device.makeFolder("Folder")
            let names = try device.library.list(.cloud)
            try device.move("A.txt", from: .cloud, to: device.inode("Folder"))
            guard
                case .gone = try device.library.listed(
                    names.filter { $0.kind == .document }, in: .cloud
                ).first
            else {
                Issue.record("it is somewhere else")
                return
            }
        }
    }

    @Test(arguments: [false, true])
    func `no virtual file is listed`(showsDisplayNames: Bool) async throws {
        try await withDevice(showsDisplayNames: showsDisplayNames) { device in
            for folder in [InodeNumber.local, .cloud] {
                let names = try device.library.list(folder)
                #expect(names.isEmpty)
            }
            let names = try device.library.list(.documents).map(\.name)
            #expect(names.sorted() == ["cloud", "local"])
        }
    }

    @Test func `creating, renaming and removing through Documents is a change of local`() async throws {
        try await withDevice { device in
            let spy = ObserverSpy()
            device.library.observer = spy
            try device.create("Plan.txt", "plan", in: .documents)
            #expect(spy.hasHeardOfListing(of: .local))
            spy.forget()
            try device.rename("Plan.txt", in: .documents, to: "Other.txt")
            #expect(spy.hasHeardOfListing(of: .local))
            spy.forget()
            try device.remove("Other.txt", in: .documents)
            #expect(spy.hasHeardOfListing(of: .local))
        }
    }

    @Test func `the listing of a folder that enters or leaves a trash folder is forgotten, to any depth`() async throws
    {
        try await withDevice { device in
            let trash = try device.makeFolder(".Trash-1000", in: .local)
            let folder = try device.makeFolder("Folder", in: .local)
            let inner = try device.makeFolder("Inner", in: folder)
            for (from, to) in [(InodeNumber.local, trash), (trash, .local)] {
                let spy = ObserverSpy()
                device.library.observer = spy
                try device.move("Folder", from: from, to: to)
                for changed in [folder, inner] { #expect(spy.hasHeardOfListing(of: changed)) }
            }
        }
    }

    @Test(arguments: [InodeNumber.root, .documents, .local, .cloud])
    func `each folder can be made durable`(folder: InodeNumber) async throws {
        try await withDevice { device in
            try device.library.synchronizeFolder(folder)
        }
    }

    @Test(arguments: [".state", "Plan.txt.state"])
    func `a state file keeps its time until something changes`(name: String) async throws {
        try await withDevice { device in
            try device.create("Plan.txt", "plan", in: .local)
            func attributes() throws -> FileAttributes {
                try device.library.lookup(Array(name.utf8), in: .local) { .existing }.attributes
            }
            let before = try attributes()
            #expect(try attributes() == before)
            let number = try await device.open("Plan.txt", in: .local)
            let whileOpen = try attributes()
            #expect(whileOpen.modified > before.modified)
            #expect(try attributes() == whileOpen)
            device.library.close(number)
            #expect(try attributes().modified > whileOpen.modified)
        }
    }
}
