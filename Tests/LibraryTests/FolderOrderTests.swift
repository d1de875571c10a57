import Backing
import Catalog
import Documents
@testable import Library
import Testing
import TestSupport

/// The order of a folder, on one device and on two.
struct FolderOrderTests {
    private static let names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]

    @Test func `the names that are written come first, the others keep their order`() async throws {
        try await withDevice { device in
            for name in Self.names { try device.create(name) }
            try device.reorder("d.txt\nb.txt\n")
            #expect(try device.order() == ["d.txt", "b.txt", "a.txt", "c.txt", "e.txt"])
            // The last line needs no line feed, and a name that occurs again counts where it occurs first.
            try device.reorder("e.txt\nd.txt\ne.txt")
            #expect(try device.order() == ["e.txt", "d.txt", "b.txt", "a.txt", "c.txt"])
            try device.reorder("")
            #expect(try device.order() == ["e.txt", "d.txt", "b.txt", "a.txt", "c.txt"])
        }
    }

    @Test func `an unknown name is refused, and nothing changes`() async throws {
        try await withDevice { device in
            for name in Self.names { try device.create(name) }
            try device.makeFolder("Inner")
            try device.create("inner.txt", in: device.inode("Inner"))
            for text in ["e.txt\nnobody\n", "e.txt\ninner.txt", "cloud\n", "e.txt\n\u{0}\n"] {
                #expect(throws: Refusal.unknownNameInOrder) { try device.reorder(text) }
            }
            #expect(throws: Refusal.unknownNameInOrder) {
                try device.library.reorder(.cloud, by: [UInt8(ascii: "a"), 0xff, 0x0a])
            }
            #expect(try device.order() == Self.names + ["Inner"])
        }
    }

    @Test func `only a document whose place changes is sent`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.names { try laptop.create(name) }
            try await laptop.push()
            try laptop.reorder("e.txt\n")
            let pending = try laptop.library.transactions.inspect { try $0.children(of: .cloud) }.filter {
                !$0.pending.isEmpty
            }
            #expect(pending.map { $0.name?.full } == ["e.txt"])
            #expect(pending.first?.pending == .position)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.order() == ["e.txt", "a.txt", "b.txt", "c.txt", "d.txt"])
        }
    }

    /// Another device has brought back what a document was that left the cloud: it has the filename and the place in the order that the document had.
    @Test(arguments: [true, false])
    func `a document that comes back into the cloud has a filename and a place of its own`(isRenamed: Bool) async throws
    {
        try await withTwoDevices { laptop, phone in
            try laptop.create("Plan.txt", "plan")
            try await laptop.push()
            try await phone.pull()
            #expect(try await phone.text("Plan.txt") == "plan")
            try phone.move("Plan.txt", from: .cloud, to: .local)
            try await laptop.save("Plan.txt", "edited")
            if isRenamed { try laptop.rename("Plan.txt", to: "Draft.txt") }
            try await laptop.push()
            try await phone.push()
            try await phone.pull()
            let (edited, moved) = isRenamed ? ("Draft.txt", "Plan.txt") : ("Plan.txt", "Draft.txt")
            #expect(try phone.names() == [edited])
            try phone.rename("Plan.txt", in: .local, to: moved, in: .cloud)
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try await device.text(edited) == "edited")
                #expect(try await device.text(moved) == "plan")
                #expect(try device.library.transactions.inspect { try $0.foldersWithUnclearOrder() }.isEmpty)
            }
        }
    }

    @Test func `two devices that reorder at once end with one order, in which both moves hold`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.names { try laptop.create(name) }
            try await laptop.push()
            try await phone.pull()
            try laptop.reorder("e.txt\na.txt\n")
            try phone.reorder("a.txt\nc.txt\nd.txt\ne.txt\nb.txt\n")
            for device in [laptop, phone, laptop] { try await device.push() }
            let order = try laptop.order()
            #expect(try phone.order() == order)
            #expect(order == ["e.txt", "a.txt", "c.txt", "d.txt", "b.txt"])
        }
    }

    @Test func `of two moves of one document the later in the log wins on both devices`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.names { try laptop.create(name) }
            try await laptop.push()
            try await phone.pull()
            try laptop.move("c.txt", .to(1))
            try phone.move("c.txt", .to(9))
            for device in [laptop, phone, laptop] { try await device.push() }
            for device in [laptop, phone] {
                #expect(try device.order() == ["a.txt", "b.txt", "d.txt", "e.txt", "c.txt"])
            }
        }
    }

    @Test func `two devices that move to the same gap end with one order`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.names { try laptop.create(name) }
            try await laptop.push()
            try await phone.pull()
            try laptop.move("e.txt", .before("b.txt"))
            try phone.move("d.txt", .before("b.txt"))
            for device in [laptop, phone, laptop] { try await device.push() }
            let order = try laptop.order()
            #expect(try phone.order() == order)
            #expect(Set(order[1...2]) == ["d.txt", "e.txt"])
            #expect([order[0]] + order[3...] == ["a.txt", "b.txt", "c.txt"])
            // Others fit between them.
            try laptop.move("a.txt", .after(order[1]))
            #expect(try laptop.order() == [order[1], "a.txt", order[2], "b.txt", "c.txt"])
        }
    }

    @Test func `an entry is moved before or after another, or to a place that is counted from 1`() async throws {
        try await withDevice { device in
            for name in Self.names { try device.create(name) }
            try device.move("e.txt", .before("a.txt"))
            #expect(try device.order() == ["e.txt", "a.txt", "b.txt", "c.txt", "d.txt"])
            try device.move("a.txt", .after("d.txt"))
            #expect(try device.order() == ["e.txt", "b.txt", "c.txt", "d.txt", "a.txt"])
            try device.move("a.txt", .to(2))
            #expect(try device.order() == ["e.txt", "a.txt", "b.txt", "c.txt", "d.txt"])
            try device.move("c.txt", .to(0))
            try device.move("e.txt", .to(100))
            #expect(try device.order() == ["c.txt", "a.txt", "b.txt", "d.txt", "e.txt"])
            try device.move("b.txt", .before("b.txt"))
            try device.move("b.txt", .to(3))
            #expect(try device.order() == ["c.txt", "a.txt", "b.txt", "d.txt", "e.txt"])
            #expect(throws: Refusal.unknownNameInOrder) { try device.move("b.txt", .after("nobody")) }
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, Int.max])
    func `the only document of a folder stays where it is, also beside scratch files`(number: Int) async throws {
        try await withDevice { device in
            try device.create("a.txt")
            try device.move("a.txt", .to(number))
            #expect(try device.order() == ["a.txt"])
            try device.create("a.txt.tmp")
            try device.move("a.txt", .to(number))
            #expect(try device.order().contains("a.txt"))
        }
    }

    @Test func `a sorted folder shows another order, and cannot be reordered`() async throws {
        try await withDevice(showsDisplayNames: true) { device in
            for (name, text) in [("b.txt", "1"), ("C.txt", "333"), ("a.txt", "22")] { try device.create(name, text) }
            try device.setModified("b.txt", seconds: 300)
            try device.setModified("C.txt", seconds: 200)
            try device.setModified("a.txt", seconds: 100)
            let sorted: [(SortMode, [String])] = [
                (.name, ["a.txt", "b.txt", "C.txt"]), (.modified, ["b.txt", "C.txt", "a.txt"]),
                (.created, ["a.txt", "C.txt", "b.txt"]), (.size, ["C.txt", "a.txt", "b.txt"]),
            ]
            for (mode, names) in sorted {
                try device.sort(mode)
                #expect(try device.library.list(.cloud).map(\.name) == names)
                #expect(try device.order() == names)
                #expect(throws: Refusal.sorted(mode)) { try device.reorder("C.txt\n") }
                #expect(throws: Refusal.sorted(mode)) { try device.library.requireManualOrder(of: .cloud) }
                #expect(throws: Refusal.sorted(mode)) { try device.move("C.txt", .to(1)) }
            }
            try device.sort(.manual)
            #expect(try device.order() == ["b.txt", "C.txt", "a.txt"])
            try device.reorder("C.txt\n")
            #expect(try device.order() == ["C.txt", "b.txt", "a.txt"])
        }
    }

    @Test func `how a folder of the cloud is sorted goes to other devices with it`() async throws {
        try await withTwoDevices { laptop, phone in
            let folder = try laptop.makeFolder("Folder")
            for name in ["b.txt", "a.txt"] { try laptop.create(name, in: folder) }
            try laptop.sort(.name, folder)
            // That of the cloud folder itself stays on the device, and keeps nothing from being sent.
            try laptop.sort(.size)
            try await laptop.push()
            try await phone.pull()
            #expect(try phone.order(of: phone.inode("Folder")) == ["a.txt", "b.txt"])
            #expect(try phone.sortMode(of: phone.inode("Folder")) == "name")
            #expect(try phone.sortMode(of: .cloud) == "manual")
        }
    }

    @Test func `what sorts and moves is not among the attributes that a copy takes along`() async throws {
        try await withDevice { device in
            let folder = try device.makeFolder("Folder")
            try device.sort(.name, folder)
            #expect(try device.library.extendedAttributeNames(of: .entry(folder)).isEmpty)
            try device.create("a.txt")
            for (name, value) in [
                ("user.document.sort", "weight"), ("user.document.order", "first"), ("user.document.order", "to x"),
            ] {
                let inode = name.hasSuffix("sort") ? folder : try device.inode("a.txt")
                #expect(throws: Refusal.self) {
                    try device.library.setExtendedAttribute(name, to: Array(value.utf8), of: .entry(inode), .either)
                }
            }
        }
    }

    @Test func `a backup that becomes a document of its own stands beside the document`() async throws {
        try await withDevice { device in
            for name in ["a.txt", "b.txt"] { try device.create(name) }
            try device.rename("a.txt", to: "a.txt.bak")
            try device.create("a.txt", "saved")
            #expect(try device.order() == ["a.txt", "a.txt.bak", "b.txt"])
            #expect(try device.library.storeCheck.audit { _ in }.findings.isEmpty)
        }
    }

    /// Its former identity comes back with the place that it had.
    @Test func `a scratch file that becomes a document stands beside the one that it was`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in ["a.txt", "b.txt"] { try laptop.create(name) }
            try await laptop.push()
            try await phone.pull()
            _ = try await phone.text("a.txt")
            try phone.rename("a.txt", to: "a.txt~")
            phone.advance(seconds: 20)
            try phone.rename("a.txt~", to: "c.txt")
            try await laptop.save("a.txt", "edited")
            try await laptop.push()
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.order() == ["a.txt", "c.txt", "b.txt"])
                #expect(try device.library.storeCheck.audit { _ in }.findings.isEmpty)
            }
        }
    }

    @Test func `entries of one key stand in one order on each device, and can be moved apart`() async throws {
        try await withTwoDevices { laptop, phone in
            for name in Self.names { try laptop.create(name) }
            // All at the same place, as when several devices had each added a first document.
            for name in Self.names {
                var entry = try laptop.entry(name)
                entry.position = 3
                try laptop.library.store.write { [entry] in try $0.update(entry) }
            }
            try await laptop.push()
            try await phone.pull()
            let order = try laptop.order()
            #expect(try phone.order() == order)
            try phone.move(order[4], .after(order[0]))
            try await phone.push()
            try await laptop.pull()
            for device in [laptop, phone] {
                #expect(try device.order() == [order[0], order[4], order[1], order[2], order[3]])
            }
        }
    }
}

extension TestDevice {
    /// The names of a folder in its order, as people know them.
    fileprivate func order(of folder: InodeNumber = .cloud) throws -> [String] {
        try library.orderText(of: folder).split(separator: "\n").map { line in
            let entry = try entry(String(line), in: folder)
            return entry.name?.full ?? entry.filename
        }
    }

    fileprivate func reorder(_ text: String, in folder: InodeNumber = .cloud) throws {
        try library.reorder(folder, by: Array(text.utf8))
    }

    fileprivate func move(_ name: String, _ target: OrderTarget) throws {
        try set("user.document.order", target.text, of: inode(name))
    }

    fileprivate func sort(_ mode: SortMode, _ folder: InodeNumber = .cloud) throws {
        try set("user.document.sort", mode.rawValue, of: folder)
    }

    fileprivate func sortMode(of folder: InodeNumber) throws -> String {
        String(decoding: try library.extendedAttribute("user.document.sort", of: .entry(folder)), as: UTF8.self)
    }

    private func set(_ name: String, _ value: String, of inode: InodeNumber) throws {
        try library.setExtendedAttribute(name, to: Array(value.utf8), of: .entry(inode), .either)
    }
}
