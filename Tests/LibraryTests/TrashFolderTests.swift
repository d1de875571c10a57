import Backing
import Catalog
import Documents
import Glibc
@testable import Library
import Synchronization
import TestSupport
import Testing

/// Folders in `MOUNT/.Trash-UID`, and what programs that watch it are told.
@Suite(.timeLimit(.minutes(15)))
struct TrashFolderTests {
    private let command = Caller(thread: 7)

    private func names(_ device: TestDevice, _ place: FolderInTrash = .files) throws -> [String] {
        try device.library.list(place).map(\.name)
    }

    private func folder(_ name: String, in place: FolderInTrash = .files, _ device: TestDevice) throws -> FolderInTrash
    {
        let resolved = try device.library.lookup(name.utf8, in: place)
        #expect(resolved.attributes.type == .folder)
        guard case .folderInTrash(let folder) = resolved.node else { throw Refusal.notFolder }
        return folder
    }

    private func info(_ label: String, _ device: TestDevice) throws -> String {
        guard case .trashInfo(let number) = try device.library.lookup("\(label).trashinfo".utf8, in: .info).node else {
            throw Refusal.noSuchName
        }
        return try device.library.trashInfoText(number)
    }

    /// `Trip` with `A.txt`, `Inner/B.txt`, the link `Link` and the folder `Empty`.
    private func makeTrip(in container: InodeNumber, _ device: TestDevice) throws {
        let trip = try device.makeFolder("Trip", in: container)
        try device.create("A.txt", "a", in: trip)
        let inner = try device.makeFolder("Inner", in: trip)
        try device.create("B.txt", "b", in: inner)
        try device.makeLink("Link", to: "A.txt", in: trip)
        _ = try device.makeFolder("Empty", in: trip)
    }

    /// As `rm -r` does.
    private func removeTrip(in container: InodeNumber, _ device: TestDevice) throws {
        let trip = try device.inode("Trip", in: container)
        let inner = try device.inode("Inner", in: trip)
        try device.library.remove("B.txt".utf8, in: inner, by: command)
        try device.library.removeFolder("Inner".utf8, in: trip, by: command)
        for name in ["A.txt", "Link"] { try device.library.remove(name.utf8, in: trip, by: command) }
        try device.library.removeFolder("Empty".utf8, in: trip, by: command)
        try device.library.removeFolder("Trip".utf8, in: container, by: command)
    }

    private func restore(
        _ name: String, from place: FolderInTrash = .files, as newName: String? = nil, to parent: InodeNumber,
        _ device: TestDevice
    ) throws {
        try device.library.restoreTrashed(
            name.utf8, in: place, to: (newName ?? name).utf8, in: parent, by: command)
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `what was deleted with its folder lies in it, and comes back with it, as one action`(container: InodeNumber)
        async throws
    {
        try await withDevice { device in
            try makeTrip(in: container, device)
            let before = try device.entry("A.txt", in: device.inode("Trip", in: container))
            try removeTrip(in: container, device)
            #expect(try names(device) == ["Trip"])
            let trip = try folder("Trip", device)
            #expect(try names(device, trip) == ["A.txt", "Empty", "Inner"])
            #expect(try names(device, folder("Inner", in: trip, device)) == ["B.txt"])
            #expect(device.library.parent(of: try folder("Inner", in: trip, device)) == trip)
            #expect(device.library.parent(of: trip) == .files)
            let place = container == .local ? "local" : "cloud"
            #expect(try info("Trip", device).contains("\nPath=Documents/\(place)/Trip\n"))
            #expect(throws: Refusal.noSuchName) { try info("A.txt", device) }

            try restore("Trip", to: container, device)
            let back = try device.inode("Trip", in: container)
            #expect(try device.names(in: back).sorted() == ["A.txt", "Empty", "Inner", "Link"])
            #expect(try await device.text("B.txt", in: device.inode("Inner", in: back)) == "b")
            let after = try device.entry("A.txt", in: back)
            #expect(after.id == before.id && after.filename == before.filename)
            #expect(try names(device) == [])
            #expect(try device.library.actionListText(.undo).hasPrefix("Create folder “Trip” with 2 documents"))
            try device.library.perform(.undo)
            #expect(try device.names(in: container) == [])
            try device.library.perform(.redo)
            #expect(try device.names(in: container) == ["Trip"])
        }
    }

    @Test func `a folder comes back elsewhere, under another name, over nothing`() async throws {
        try await withDevice { device in
            try makeTrip(in: .local, device)
            try removeTrip(in: .local, device)
            let taken = try device.makeFolder("Taken", in: .local)
            #expect(throws: Refusal.nameExists) { try restore("Trip", as: "Taken", to: .local, device) }
            #expect(try names(device) == ["Trip"])
            #expect(throws: Refusal.rename(.folderIntoDocuments)) {
                try restore("Trip", as: "Journey", to: .documents, device)
            }
            #expect(try names(device) == ["Trip"])
            try restore("Trip", as: "Journey", to: taken, device)
            let journey = try device.inode("Journey", in: taken)
            #expect(try await device.text("A.txt", in: journey) == "a")
            #expect(try device.names(in: .local) == ["Taken"])
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a folder comes back beside another one that has its name, as one action`(container: InodeNumber) async throws
    {
        try await withDevice { device in
            let undo = try device.library.actionListText(.undo)
            try makeTrip(in: .local, device)
            try removeTrip(in: .local, device)
            if container == .local { _ = try device.makeFolder("Trip", in: .local) }
            try restore("Trip", as: "Old trip", to: container, device)
            let old = try device.inode("Old trip", in: container)
            #expect(try await device.text("A.txt", in: old) == "a")
            #expect(try device.entry("A.txt", in: old).location == (container == .local ? .local : .cloud))
            if container == .local {
                try device.library.perform(.undo)
                #expect(try device.names(in: .local) == ["Trip"])
                #expect(try names(device) == ["Old trip"])
            }
            #expect(undo == "")
        }
    }

    @Test func `a folder that may not leave the cloud stays in the trash`() async throws {
        try await withConflictOnTwoDevices { _, phone in
            let trip = try phone.makeFolder("Trip")
            try phone.move("F.txt", from: .cloud, to: trip)
            try phone.library.remove("F.txt".utf8, in: trip, by: command)
            try phone.library.removeFolder("Trip".utf8, in: .cloud, by: command)
            #expect(throws: Refusal.self) { try restore("Trip", to: .local, phone) }
            #expect(try names(phone) == ["Trip"])
            #expect(try phone.names(in: .local) == [] && !phone.exists("Trip"))
            try restore("Trip", to: .cloud, phone)
            #expect(try phone.entry("F.txt", in: phone.inode("Trip")).conflicts == 1)
        }
    }

    @Test func `what can no longer come back keeps nothing else in the trash`() async throws {
        try await withDevice { device in
            try makeTrip(in: .local, device)
            let lost = try device.entry("A.txt", in: device.inode("Trip", in: .local)).inode
            try removeTrip(in: .local, device)
            try device.library.store.files.removeFromTrash(lost)
            try restore("Trip", to: .local, device)
            let trip = try device.inode("Trip", in: .local)
            #expect(try device.names(in: trip).sorted() == ["Empty", "Inner", "Link"])
            #expect(try await device.text("B.txt", in: device.inode("Inner", in: trip)) == "b")
        }
    }

    @Test func `what lies in a folder comes back alone, and the rest stays`() async throws {
        try await withDevice { device in
            try makeTrip(in: .local, device)
            try removeTrip(in: .local, device)
            let inner = try folder("Inner", in: folder("Trip", device), device)
            try restore("B.txt", from: inner, as: "B again.txt", to: .local, device)
            #expect(try await device.text("B again.txt", in: .local) == "b")
            #expect(try names(device, folder("Trip", device)).first == "A.txt")
            let trip = try folder("Trip", device)
            try restore("A.txt", from: trip, to: .local, device)
            #expect(try await device.text("A.txt", in: .local) == "a")
        }
    }

    @Test func `what was deleted before its folder, or named alike, stands for itself`() async throws {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: .local)
            for text in ["first", "second"] {
                try device.create("A.txt", text, in: trip)
                try device.library.tree.remove("A.txt".utf8, in: trip, by: Caller(thread: 8), isMeant: true)
            }
            try device.create("B.txt", "b", in: trip)
            device.advance(seconds: 60)
            try device.library.remove("B.txt".utf8, in: trip, by: command)
            try device.library.removeFolder("Trip".utf8, in: .local, by: command)
            #expect(try names(device) == ["A.2.txt", "A.txt", "Trip"])
            #expect(try names(device, folder("Trip", device)) == ["B.txt"])
            #expect(try info("A.txt", device).contains("\nPath=Documents/local/Trip/A.txt\n"))
            let empty = try device.makeFolder("Trip", in: .local)
            #expect(try device.names(in: empty) == [])
            device.advance(seconds: 60)
            try device.library.removeFolder("Trip".utf8, in: .local, by: command)
            #expect(try names(device) == ["A.2.txt", "A.txt", "Trip", "Trip.2"])
            #expect(try names(device, folder("Trip.2", device)) == [])
            try restore("Trip.2", as: "Trip", to: .local, device)
            #expect(try device.names(in: .local) == ["Trip"])
        }
    }

    @Test(arguments: [InodeNumber.local, .cloud])
    func `a folder is removed for good, from the inside or as a whole`(container: InodeNumber) async throws {
        try await withDevice { device in
            for _ in 1...2 {
                try makeTrip(in: container, device)
                try removeTrip(in: container, device)
                device.advance(seconds: 60)
            }
            let trip = try folder("Trip", device)
            let inner = try folder("Inner", in: trip, device)
            #expect(throws: Refusal.isFolder) { try device.library.removeTrashed("Trip".utf8, in: .files) }
            #expect(throws: Refusal.folderNotEmpty) { try device.library.removeTrashedFolder("Trip".utf8, in: .files) }
            #expect(throws: Refusal.notFolder) { try device.library.removeTrashedFolder("A.txt".utf8, in: trip) }
            try device.library.removeTrashed("B.txt".utf8, in: inner)
            #expect(try names(device, inner) == [])
            try device.library.removeTrashedFolder("Inner".utf8, in: trip)
            try device.library.removeTrashed("A.txt".utf8, in: trip)
            try device.library.removeTrashedFolder("Empty".utf8, in: trip)
            try device.library.removeTrashedFolder("Trip".utf8, in: .files)
            #expect(throws: Refusal.noSuchName) { try device.library.lookup("Trip".utf8, in: .files) }
            #expect(try names(device) == ["Trip.2"])
            try device.library.moveTrashed("Trip.2".utf8, in: .files, to: .expunged)
            #expect(try names(device) == [])
            #expect(try device.library.reportText(.trash) == "")
            #expect(try !device.library.actionListText(.undo).contains("Delete"))
        }
    }

    @Test func `what undo took away lies in its folders, and these go when nothing is in them`() async throws {
        try await withDevice { device in
            let trip = try device.makeFolder("Trip", in: .local)
            try device.create("A.txt", "a", in: trip)
            while try device.library.actionListText(.undo) != "" { try device.library.perform(.undo) }
            #expect(try names(device).count == 1)
            try device.library.emptyTrash()
            #expect(try names(device) == [])
        }
    }

    @Test func `a folder that another device deleted comes back with what was in it`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try makeTrip(in: .cloud, laptop)
            try await laptop.push()
            try await phone.pull()
            try removeTrip(in: .cloud, laptop)
            try await laptop.push()
            try await phone.pull()
            #expect(try names(phone) == ["Trip"])
            let trip = try folder("Trip", phone)
            #expect(try names(phone, trip) == ["A.txt", "Inner"])
            try restore("Trip", to: .cloud, phone)
            try phone.library.removeTrashed("Trip.trashinfo".utf8, in: .info)
            #expect(try names(phone) == [])
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                let trip = try device.inode("Trip")
                #expect(try await device.text("A.txt", in: trip) == "a")
                #expect(try await device.text("B.txt", in: device.inode("Inner", in: trip)) == "b")
            }
            // And once more, removed for good from the inside.
            let again = try laptop.inode("Trip")
            try laptop.remove("A.txt", in: again)
            try laptop.remove("B.txt", in: laptop.inode("Inner", in: again))
            for name in ["Inner", "Link", "Empty"] where laptop.exists(name, in: again) {
                if name == "Link" {
                    try laptop.remove(name, in: again)
                } else {
                    try laptop.library.removeFolder(name.utf8, in: again)
                }
            }
            try laptop.library.removeFolder("Trip".utf8, in: .cloud)
            try await laptop.push()
            try await phone.pull()
            #expect(try names(phone) == ["Trip"])
            let gone = try folder("Trip", phone)
            let inner = try folder("Inner", in: gone, phone)
            try phone.library.removeTrashed("A.txt".utf8, in: gone)
            try phone.library.removeTrashed("B.txt".utf8, in: inner)
            try phone.library.removeTrashedFolder("Inner".utf8, in: gone)
            try phone.library.removeTrashedFolder("Trip".utf8, in: .files)
            #expect(try names(phone) == [])
        }
    }

    // MARK: Watchers

    private func change(_ label: String, _ device: TestDevice, isFolder: Bool = false, isThere: Bool = true)
        -> TrashChange
    {
        let number = device.library.trashDirectory.number(label)
        return TrashChange(
            label: label, node: isFolder ? .folderInTrash(.folder(number)) : .trashed(number), isThere: isThere)
    }

    @Test func `watchers are told what comes and goes, and not of what they do themselves`() async throws {
        try await withDevice { device in
            let observer = ObserverSpy()
            device.library.observer = observer
            func told(_ changes: TrashChange...) async throws {
                while observer.trashChanges.count < changes.count { try await Task.sleep(for: .milliseconds(5)) }
                #expect(observer.trashChanges == changes)
                observer.forget()
            }
            try device.create("Before.txt", "text", in: .local)
            try device.remove("Before.txt", in: .local)
            _ = try device.library.lookup("files".utf8, in: .top)
            try device.create("A.txt", "a", in: .local)
            try device.library.remove("A.txt".utf8, in: .local, by: command)
            try await told(change("A.txt", device))
            device.advance(seconds: 60)
            try makeTrip(in: .local, device)
            try removeTrip(in: .local, device)
            try await told(change("Trip", device, isFolder: true))
            try device.library.perform(.undo)
            try await told(change("Trip", device, isFolder: true, isThere: false))
            // What a program does there the kernel tells of by itself.
            try device.library.throwAway("Trip".utf8, in: .local, as: "Trip".utf8, in: .files, by: command)
            try restore("A.txt", to: .local, device)
            try device.library.removeTrashed("A.txt.trashinfo".utf8, in: .info)
            try device.library.removeTrashed("Before.txt".utf8, in: .files)
            try device.library.remove("A.txt".utf8, in: .local, by: command)
            try await told(change("A.txt", device))
            // The kernel has forgotten the folder.
            device.library.forget(.files)
            try device.library.emptyTrash()
            #expect(!device.library.trashDirectory.watch.withLock { $0.isWatched })
        }
    }

    @Test func `watchers are told that another device has brought something back`() async throws {
        try await withPlanElsewhere { laptop, phone in
            try laptop.remove("Plan.txt")
            try await laptop.push()
            try await phone.pull()
            let observer = ObserverSpy()
            phone.library.observer = observer
            _ = try phone.library.lookup("files".utf8, in: .top)
            try laptop.library.perform(.undo)
            try await laptop.push()
            try await phone.pull()
            while observer.trashChanges.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(observer.trashChanges == [change("Plan.txt", phone, isThere: false)])
        }
    }

    @Test func `a great many changes are told in portions, and a label that became a folder anew`() {
        var watch = TrashWatch()
        #expect(watch.news(["A": .init(isFolder: false)], cost: .zero).news.isEmpty)
        watch.begin([:])
        let labels = Dictionary(
            uniqueKeysWithValues: (0..<1500).map { ("\($0)", TrashWatch.Shown(isFolder: false)) })
        let first = watch.news(labels, cost: .zero)
        #expect(first.news.count == 1000 && first.isMore)
        let second = watch.news(labels, cost: .zero)
        #expect(second.news.count == 500 && !second.isMore)
        #expect(Set((first.news + second.news).map(\.label)) == Set(labels.keys))
        var folder = labels
        folder["7"] = .init(isFolder: true)
        #expect(watch.news(folder, cost: .zero).news.map(\.isThere) == [false, true])
        #expect(watch.news(nil, cost: .zero).news.isEmpty)
        watch.beginCall()
        #expect(watch.news([:], cost: .zero).news.isEmpty)
    }
}
