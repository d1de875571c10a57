import Glibc
import MountSupport
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct ExtendedAttributeTests {
    @Test func `user attributes are listed, read, written and removed`() async throws {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                let document = container / "Groceries.txt"
                try document.create("milk")
                #expect(try document.attributeNames() == ["user.document.name"])
                try document.setAttribute("user.colour", "green")
                try document.setAttribute("user.empty", "")
                #expect(
                    try document.attributeNames()
                        == ["user.colour", "user.document.name", "user.empty"])
                #expect(try document.attribute("user.colour") == "green")
                #expect(try document.attributeBytes("user.empty") == [])
                try document.setAttribute("user.colour", "red")
                #expect(try document.attribute("user.colour") == "red")
                try document.removeAttribute("user.colour")
                #expect(try document.attributeNames() == ["user.document.name", "user.empty"])
                #expect(throws: Errno.noData) { try document.attribute("user.colour") }
                #expect(throws: Errno.noData) { try document.removeAttribute("user.colour") }
            }
        }
    }

    @Test func `an attribute's value is any bytes`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let value = (0..<1024).map { UInt8(truncatingIfNeeded: $0) }
            try document.setAttribute("user.binary", value)
            #expect(try document.attributeBytes("user.binary") == value)
            try await device.remount()
            #expect(try document.attributeBytes("user.binary") == value)
        }
    }

    @Test func `XATTR_CREATE and XATTR_REPLACE are honoured`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            #expect(throws: Errno.noData) {
                try document.setAttribute("user.colour", "green", .mustExist)
            }
            try document.setAttribute("user.colour", "green", .mustNotExist)
            #expect(throws: Errno.fileExists) {
                try document.setAttribute("user.colour", "red", .mustNotExist)
            }
            #expect(throws: Errno.fileExists) {
                try document.setAttribute("user.displayName", "Shopping", .mustNotExist)
            }
            try document.setAttribute("user.colour", "blue", .mustExist)
            #expect(try document.attribute("user.colour") == "blue")
            #expect(try document.displayName() == "Groceries")
        }
    }

    @Test func `a buffer that is too small is ERANGE, and none asks for the size`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try document.setAttribute("user.colour", "green")
            var small = [CChar](repeating: 0, count: 3)
            #expect(throws: Errno.outOfRange) {
                try document.call { glibcGetAttribute($0, "user.colour", &small, small.count) }
            }
            #expect(throws: Errno.outOfRange) {
                try document.call { glibcListAttributes($0, &small, small.count) }
            }
            #expect(try document.call { glibcGetAttribute($0, "user.colour", nil, 0) } == 5)
            let names = "user.document.name\0user.colour\0"
            #expect(try document.call { glibcListAttributes($0, nil, 0) } == names.utf8.count)
        }
    }

    @Test func `the attributes of a document take 384 KiB at most, and one of them 64 KiB`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let large = [UInt8](repeating: 1, count: 60_000)
            for number in 1...6 { try document.setAttribute("user.large\(number)", large) }
            #expect(throws: Errno.noSpace) { try document.setAttribute("user.large7", large) }
            #expect(throws: Errno.noData) { try document.attribute("user.large7") }
            #expect(try document.attributeBytes("user.large6") == large)
            try document.removeAttribute("user.large1")
            try document.setAttribute("user.large7", large)
            let tooLarge = [UInt8](repeating: 1, count: 65_537)
            #expect(throws: Errno.argListTooLong) { try document.setAttribute("user.large8", tooLarge) }
        }
    }

    @Test(arguments: ["uploading", "state", "id", "filename", "progress"])
    func `attributes that docfs computes cannot be written and are not listed`(name: String)
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            let identity = try document.identity()
            let attribute = "user.document.\(name)"
            #expect(throws: Errno.notPermitted) { try document.setAttribute(attribute, "x") }
            #expect(throws: Errno.notPermitted) { try document.removeAttribute(attribute) }
            #expect(try !document.attributeNames().contains(attribute))
            #expect(try document.identity() == identity)
        }
    }

    @Test func `id, filename and state can be read as attributes and say what the state file says`()
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let state = try document.state()
            #expect(try document.attribute("user.document.id") == state["id"])
            #expect(try document.attribute("user.document.filename") == state["filename"])
            #expect(try document.attribute("user.document.state") == "closed")
            #expect(try device.local.documentNames() == [document.filename()])
            let file = try document.open(.readOnly)
            #expect(try document.attribute("user.document.state") == "normal")
            try file.close()
        }
    }

    @Test func `other attributes than user ones are EOPNOTSUPP`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            // Only the superuser gets as far as docfs with trusted attributes, or to change those of security.
            let refusal = getuid() == 0 ? Errno.notSupportedOnSocket : Errno.notPermitted
            for name in ["security.docfs"] + (getuid() == 0 ? ["trusted.docfs"] : []) {
                #expect(throws: refusal) { try document.setAttribute(name, "x") }
                #expect(throws: Errno.notSupportedOnSocket) { try document.attribute(name) }
                #expect(throws: refusal) { try document.removeAttribute(name) }
            }
            #expect(try document.attributeNames() == ["user.document.name"])
        }
    }

    @Test func `attributes go wherever the document goes`() async throws {
        try await withTwoDevices { laptop, desktop in
            let start = laptop.local / "Groceries.txt"
            try start.create("milk")
            try start.setAttribute("user.colour", "green")
            let renamed = laptop.local / "Shopping.txt"
            try start.rename(to: renamed)
            #expect(try renamed.attribute("user.colour") == "green")
            let inCloud = laptop.cloud / "Shopping.txt"
            try renamed.rename(to: inCloud)
            #expect(try inCloud.attribute("user.colour") == "green")
            let there = desktop.cloud / "Shopping.txt"
            try await eventually { try there.attribute("user.colour") == "green" }
            #expect(try there.attributeNames() == ["user.colour", "user.document.name"])
            // Reading attributes has downloaded nothing.
            #expect(try there.state()["downloading"] == "notDownloaded")

            try there.setAttribute("user.colour", "blue")
            try there.setAttribute("user.from", "desktop")
            try await eventually { try inCloud.attribute("user.from") == "desktop" }
            #expect(try inCloud.attribute("user.colour") == "blue")
            try there.removeAttribute("user.from")
            try await eventually {
                try inCloud.attributeNames() == ["user.colour", "user.document.name"]
            }
            try inCloud.rename(to: renamed)
            #expect(try renamed.attribute("user.colour") == "blue")
        }
    }

    @Test func `a folder has attributes too`() async throws {
        try await withDevice { device in
            let folder = device.local / "Folder"
            try folder.makeFolder()
            try folder.setAttribute("user.colour", "green")
            try await device.remount()
            #expect(try folder.attribute("user.colour") == "green")
            #expect(try folder.attributeNames().contains("user.colour"))
        }
    }

    @Test func `names of attributes that look alike are two`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try document.setAttribute("user.Caf\u{E9}", "composed")
            try document.setAttribute("user.Cafe\u{301}", "decomposed")
            try await device.remount()
            #expect(try document.attribute("user.Caf\u{E9}") == "composed")
            #expect(try document.attribute("user.Cafe\u{301}") == "decomposed")
            try document.removeAttribute("user.Caf\u{E9}")
            #expect(throws: Errno.noData) { try document.attribute("user.Caf\u{E9}") }
            #expect(try document.attribute("user.Cafe\u{301}") == "decomposed")
        }
    }

    @Test func `setfattr and getfattr work`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            try await device.shell("setfattr -n user.colour -v green local/Groceries.txt")
            let dump = try await device.shell("cd local && getfattr -d Groceries.txt")
            #expect(
                dump.lines == [
                    "# file: Groceries.txt", #"user.colour="green""#,
                    #"user.document.name="Groceries""#,
                ])
            try await device.shell("setfattr -x user.colour local/Groceries.txt")
            #expect(try (device.local / "Groceries.txt").attributeNames() == ["user.document.name"])
        }
    }
}
