import Catalog
import Documents
@testable import Library
import Testing

/// The changes that a device tells its watchers of.
@Suite(.timeLimit(.minutes(15)))
struct RemoteChangeTests {
    /// The changes that the phone tells of while it applies the laptop's commits.
    private static func changes(
        after prepare: (TestDevice) async throws -> Void = { _ in }, _ act: (TestDevice) async throws -> Void
    ) async throws -> [String] {
        var told: [String] = []
        try await withTwoDevices { laptop, phone in
            try await prepare(laptop)
            try await laptop.push()
            try await phone.pull()
            let spy = ObserverSpy()
            phone.library.observer = spy
            try await act(laptop)
            try await laptop.push()
            try await phone.pull()
            told = spy.remoteChanges.map(\.line)
        }
        return told
    }

    @Test func `a new document, folder or link`() async throws {
        let told = try await Self.changes { laptop in
            try laptop.create(".a", "a", in: laptop.makeFolder("F"))
            try laptop.makeLink("link", to: "F")
        }
        #expect(told.sorted() == ["created F", "created F/.a", "created link"])
        #expect(told.firstIndex(of: "created F")! < told.firstIndex(of: "created F/.a")!)
    }

    @Test func `an edit`() async throws {
        #expect(
            try await Self.changes(after: { try $0.create(".a", "a") }) { try await $0.save(".a", "b") } == [
                "modified .a"
            ])
    }

    @Test func `another name, another folder`() async throws {
        let told = try await Self.changes(after: { laptop in
            try laptop.create(".a", "a")
            try laptop.create(".b", "b", in: laptop.makeFolder("F"))
        }) { laptop in
            try laptop.rename(".a", in: .cloud, to: ".c", in: laptop.inode("F"))
            try laptop.rename("F", to: "G")
        }
        #expect(Set(told) == ["moved .a -> G/.c", "moved F -> G"])
    }

    @Test func `another name and another content`() async throws {
        let told = try await Self.changes(after: { try $0.create(".a", "a") }) { laptop in
            try await laptop.save(".a", "b")
            try laptop.rename(".a", to: ".b")
        }
        #expect(told == ["moved .a -> .b", "modified .b"])
    }

    @Test func `two documents that exchange their names are told of without the name in between`() async throws {
        let told = try await Self.changes(after: { laptop in
            try laptop.create(".a", "a")
            try laptop.create(".b", "b")
        }) { laptop in
            try laptop.rename(".a", to: ".c")
            try laptop.rename(".b", to: ".a")
            try laptop.rename(".c", to: ".b")
        }
        #expect(Set(told) == ["moved .a -> .b", "moved .b -> .a"])
    }

    /// The changes that a device tells of that it made itself.
    private static func ownChanges(
        showsDisplayNames: Bool = true, in folder: InodeNumber, _ act: (TestDevice) async throws -> Void
    ) async throws -> [String] {
        try await withDevice(showsDisplayNames: showsDisplayNames) { device in
            try device.create("Name.txt", "name", in: folder)
            try device.create("Untitled.txt", "Milk", in: folder)
            let spy = ObserverSpy()
            device.library.observer = spy
            try await act(device)
            return spy.remoteChanges.map(\.line)
        }
    }

    private static func setDisplayName(
        _ displayName: String?, of name: String, in folder: InodeNumber, on device: TestDevice
    ) throws {
        let node = Node.entry(try device.inode(name, in: folder))
        if let displayName {
            try device.library.setExtendedAttribute("user.displayName", to: Array(displayName.utf8), of: node, .either)
        } else {
            try device.library.removeExtendedAttribute("user.displayName", of: node)
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a display name that was set here, or taken away, changes what is listed`(folder: InodeNumber) async throws {
        let told = try await Self.ownChanges(in: folder) { device in
            try Self.setDisplayName("Other", of: "Name.txt", in: folder, on: device)
            try Self.setDisplayName("Other", of: "Other.txt", in: folder, on: device)
            try Self.setDisplayName(nil, of: "Other.txt", in: folder, on: device)
        }
        #expect(told == ["moved Name.txt -> Other.txt", "moved Other.txt -> name.txt"])
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `an automatic name that a save changes is listed`(folder: InodeNumber) async throws {
        let told = try await Self.ownChanges(in: folder) { device in
            try await device.save("Milk.txt", "Eggs", in: folder)
            try await device.save("Eggs.txt", "Eggs\nTea", in: folder)
        }
        #expect(told == ["moved Milk.txt -> Eggs.txt"])
    }

    @Test func `of two documents with one name set here the later one is listed by its filename`() async throws {
        var filename = ""
        let told = try await Self.ownChanges(in: .local) { device in
            filename = try device.entry("Milk.txt", in: .local).filename
            try Self.setDisplayName("Name", of: "Milk.txt", in: .local, on: device)
        }
        #expect(told == ["moved Milk.txt -> \(filename)"])
    }

    @Test func `a display name set here is not told where filenames are listed, nor is a rename by this device`()
        async throws
    {
        #expect(
            try await Self.ownChanges(showsDisplayNames: false, in: .cloud) { device in
                try Self.setDisplayName("Other", of: "Name.txt", in: .cloud, on: device)
                try await device.save("Milk.txt", "Eggs")
            } == [])
        #expect(try await Self.ownChanges(in: .cloud) { try $0.rename("Name.txt", to: "Other.txt") } == [])
    }

    @Test func `a display name is not told where filenames are listed`() async throws {
        #expect(
            try await Self.changes(after: { try $0.create("Name.txt", "a") }) {
                try $0.rename("Name.txt", to: "Other.txt")
            } == [])
    }

    @Test func `removed entries, the inner ones first`() async throws {
        let told = try await Self.changes(after: { laptop in
            let folder = try laptop.makeFolder("F")
            try laptop.create(".a", "a", in: laptop.makeFolder("G", in: folder))
        }) { laptop in
            let folder = try laptop.inode("F")
            try laptop.remove(".a", in: laptop.inode("G", in: folder))
            try laptop.library.removeFolder(Array("G".utf8), in: folder)
            try laptop.library.removeFolder(Array("F".utf8), in: .cloud)
        }
        #expect(told == ["removed F/G/.a", "removed F/G", "removed F"])
    }

    @Test func `a new entry under a name that another one had until then`() async throws {
        let told = try await Self.changes(after: { laptop in
            try laptop.create(".a", "a")
            try laptop.makeFolder("F")
        }) { laptop in
            try laptop.remove(".a")
            laptop.advance(days: 1)
            try laptop.create(".a", "b")
            try laptop.library.removeFolder(Array("F".utf8), in: .cloud)
            try laptop.makeFolder("F")
        }
        #expect(told.sorted() == ["created .a", "created F", "removed .a", "removed F"])
    }

    @Test func `changes of this device are not told`() async throws {
        try await withTwoDevices { laptop, phone in
            let spy = ObserverSpy()
            laptop.library.observer = spy
            try laptop.create(".a", "a", in: laptop.makeFolder("F"))
            try await laptop.push()
            try await laptop.save(".a", "b", in: laptop.inode("F"))
            try laptop.rename("F", to: "G")
            try await laptop.push()
            try laptop.remove(".a", in: laptop.inode("G"))
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            #expect(spy.remoteChanges == [])
        }
    }
}

extension RemoteChange {
    fileprivate var line: String {
        switch self {
        case .created(let place): "created \(place.text)"
        case .modified(let place): "modified \(place.text)"
        case .moved(let from, let to): "moved \(from.text) -> \(to.text)"
        case .removed(let place): "removed \(place.text)"
        }
    }
}

extension ListedPath {
    fileprivate var text: String { (folders.map(\.name) + [entry.name]).joined(separator: "/") }
}
