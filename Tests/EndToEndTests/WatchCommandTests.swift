import Foundation
import Glibc
import MountSupport
import Subprocess
import Synchronization
import SystemPackage
import Testing

/// `docfs watch` and `docfs query` (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct WatchCommandTests {
    @Test func `watch prints states as they change, until it is interrupted`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk")
            try await eventually { try document.state()["state"] == "closed" }
            let stream = try CommandStream(device, ["watch", device.local.string])
            try await stream.waitUntilItPolls()
            let path = device.local / (try document.filename())
            let file = try document.open(.readOnly)
            try await stream.expect("\(path)  closed → normal  -  -  Groceries")
            try file.close()
            try await stream.expect("\(path)  normal → closed  -  -  Groceries")
            try document.setAttribute("user.displayName", "Shopping")
            try await stream.expect("\(path)  closed  -  -  Shopping")
            try (device.local / "Shopping.txt").rename(to: device.cloud / "Shopping.txt")
            try await stream.expect("\(path)  closed → removed  -  -  Shopping")
            #expect(try await stream.interrupt() == 128 + SIGINT)
        }
    }

    @Test func `watch follows folders that come, and documents in them`() async throws {
        try await withDevice { device in
            let stream = try CommandStream(device, ["watch", "--json", device.mountpoint.string])
            try await stream.waitUntilItPolls()
            try (device.cloud / "Trip").makeFolder()
            try (device.cloud / "Trip" / "Days").makeFolder()
            let document = device.cloud / "Trip" / "Days" / "Packing.txt"
            try document.create("boots")
            struct Change: Decodable {
                let event: String, displayName: String, path: String, state: [String], uploading: String?
            }
            func changes() -> [Change] {
                stream.lines.compactMap { try? JSONDecoder().decode(Change.self, from: Data($0.utf8)) }
            }
            try await eventually { changes().contains { $0.event == "added" && $0.displayName == "Packing" } }
            try await eventually { changes().contains { $0.uploading == "uploaded" } }
            try (device.cloud / "Trip").rename(to: device.cloud / "Journey")
            try await eventually { changes().contains { $0.event == "removed" } }
            try await eventually {
                changes().last { $0.event == "added" }?.path.hasPrefix((device.cloud / "Journey" / "Days").string)
                    == true
            }
            try (device.cloud / "Journey" / "Days" / "Packing.txt").remove()
            try await eventually { changes().last?.event == "removed" }
            _ = try await stream.interrupt()
        }
    }

    /// Whenever it looks, the folder may be gone, or another one of its name.
    @Test func `watch follows folders that are removed and made again, however fast`() async throws {
        try await withDevice { device in
            let stream = try CommandStream(device, ["watch", device.local.string])
            try await stream.waitUntilItPolls()
            try await device.shell(
                "cd local; for n in $(seq 150); do mkdir -p Work/In; echo $n > Work/In/a.txt; rm -r Work; done; mkdir -p Work/In"
            )
            try (device.local / "Work/In/Last.txt").create("last")
            try await eventually { stream.lines.contains { $0.hasSuffix("  Last") } }
            #expect(try await stream.interrupt() == 130, "\(stream.errorLines)")
        }
    }

    @Test func `watch of a document tells all that its state says`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = desktop.cloud / "Plan.txt"
            try (laptop.cloud / "Plan.txt").create("plan")
            try await eventually { try document.state()["downloading"] == "notDownloaded" }
            let stream = try CommandStream(desktop, ["watch", document.string])
            try await stream.waitUntilItPolls()
            #expect(try document.text() == "plan")
            try await eventually { stream.lines.contains { $0.contains("  current,uploaded  ") } }
            try document.remove()
            try await eventually { stream.lines.contains { $0.contains(" → removed") } }
            #expect(try await stream.end() == 1)
        }
    }

    /// The upload was under way before anybody watched.
    @Test func `watch tells of each percent of an upload, and wait of its bytes`() async throws {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(cloudURL: server.url(through: holder), environment: try server.environment())
        try await withDevice(options) { device in
            holder.hold(.requests, after: 2 << 20)
            try await device.shell("head -c \(16 << 20) /dev/urandom > cloud/Film.bin")
            let film = device.cloud / "Film.bin"
            try await eventually { try film.state()["uploading"] == "uploading" && holder.isHolding(.requests) }
            let stream = try CommandStream(device, ["watch", device.cloud.string])
            try await stream.waitUntilItPolls()
            let unsent = try #require(try device.treeState()["cloud.unsent"].flatMap { Int($0) })
            #expect((1..<(15 << 20)).contains(unsent))
            holder.hold(.requests, after: 4 << 20)
            let name = try film.filename()
            try await eventually {
                stream.lines.contains {
                    $0.contains("\(name)  closed,progressAvailable  current,uploading  ") && $0.contains(" %  ")
                }
            }
            try await eventually { holder.isHolding(.requests) }
            #expect(try Int(#require(device.treeState()["cloud.unsent"])) ?? 0 < unsent)
            holder.release()
            try await device.waitUntilUploaded(film)
            #expect(try device.treeState()["cloud.unsent"] == "0")
            _ = try await stream.interrupt()
        }
    }

    /// Nothing was removed: the documents are there at the next mount.
    @Test func `watch and query --watch end with one line when the mount ends`() async throws {
        try await withDevice { device in
            try (device.local / "Trip").makeFolder()
            for place in [device.local, device.local / "Trip", device.cloud] {
                try (place / "Plan.txt").create("plan")
            }
            let streams = try [
                ["watch", device.mountpoint.string], ["watch", "--json", device.local.string],
                ["watch", (device.local / "Plan.txt").string], ["query", "--watch", "Plan", device.mountpoint.string],
                ["query", "--watch", "--json", "Plan", device.local.string],
            ].map { try CommandStream(device, $0) }
            for stream in streams { try await stream.waitUntilItPolls() }
            try await device.unmount()
            for stream in streams {
                #expect(try await stream.end() == 1)
                #expect(!stream.lines.contains { $0.contains("removed") }, "\(stream.lines)")
                #expect(stream.errorLines == ["docfs: the mount at \(device.mountpoint) has ended"])
            }
            for stream in [streams[1], streams[4]] { #expect(stream.lines.last == #"{"event":"ended"}"#) }
        }
    }

    @Test func `query finds documents by what is true of them`() async throws {
        try await withDevice { device in
            try (device.local / "Trip").makeFolder()
            let list = device.local / "Trip" / "Packing list.md"
            try list.create(String(repeating: "boots ", count: 1000))
            try list.setAttribute("user.tags", "urgent,home")
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            func query(_ predicate: String, _ path: FilePath? = nil) async throws -> [String] {
                let result = try await device.docfs("query", predicate, (path ?? device.mountpoint).string)
                #expect(result.exitStatus == 0, "\(predicate): \(result.standardError)")
                return try result.lines.map { try FilePath($0).state()["displayName"] ?? "" }
            }
            #expect(try await query("displayName like 'Pack*'") == ["Packing list"])
            #expect(try await query("extension = md and size > 5k and user.tags has urgent") == ["Packing list"])
            #expect(try await query("location = cloud and uploading = uploaded") == ["Plan"])
            #expect(
                try await query("modified > -1h and created = today or created = yesterday").sorted() == [
                    "Packing list", "Plan",
                ])
            #expect(try await query("closed", device.cloud) == ["Plan"])
            #expect(try await query("conflicts > 0 or indicator != green") == [])
            let json = try await device.docfs("query", "--json", "size < 5k", device.mountpoint.string)
            struct Found: Decodable { let displayName: String, size: Int }
            let found = try JSONDecoder().decode([Found].self, from: Data(json.standardOutput.utf8))
            #expect(found.map(\.displayName) == ["Plan"] && found.map(\.size) == [4])
        }
    }

    @Test func `query finds documents by words, below a folder or in the mount`() async throws {
        try await withDevice { device in
            try (device.local / "Trip").makeFolder()
            for place in [device.local / "Trip", device.cloud] {
                try (place / "Packing List.md").create("boots")
                try (place / "Packing.md").create("boots")
            }
            func places(_ words: String...) async throws -> [FilePath] {
                let arguments = words.map { "'\($0)'" }.joined(separator: " ")
                let result = try await device.shell(
                    #""$BINARY" query "# + arguments, environment: ["BINARY": try DocfsBinary.path.string])
                return result.lines.map { line in
                    let path = device.documents.pushing(FilePath(line))
                    #expect((try? path.state()["displayName"]) == "Packing List")
                    return path.removingLastComponent()
                }
            }
            #expect(try await places("list", "PACK").count == 2)
            #expect(try await places("list pack").count == 2)
            #expect(try await places("list", "PACK", "local") == [device.local / "Trip"])
            #expect(try await places("list", device.cloud.string) == [device.cloud])
            #expect(try await places("list", "boots") == [])
            #expect(try await places("List.MD").count == 2)
            #expect(try await device.docfs("query", "Packing.md", device.cloud.string).lines.count == 1)
            #expect(try await device.docfs("query", "list", (device.local / "None").string).exitStatus == 1)
        }
    }

    @Test func `a wrong predicate ends with 64 and one line that says where`() async throws {
        try await withDevice { device in
            let result = try await device.docfs("query", "size > big", device.mountpoint.string)
            #expect(result.exitStatus == 64)
            #expect(
                result.oneErrorLine?.contains("at character 8: `big` is not a size") == true, "\(result.standardError)")
        }
    }

    @Test func `query --watch follows what comes, changes and goes`() async throws {
        try await withDevice { device in
            let first = device.local / "First.txt"
            try first.create("one")
            try await eventually { try first.state()["state"] == "closed" }
            let path = { (document: FilePath) in try device.local / document.filename() }
            let stream = try CommandStream(
                device, ["query", "--watch", "user.tags has urgent or size > 10", device.local.string])
            try await stream.waitUntilItPolls()
            #expect(stream.lines == [])
            try first.setAttribute("user.tags", "urgent")
            try await stream.expect("added \(try path(first))")
            try first.setAttribute("user.tags", "urgent,home")
            try await stream.expect("changed \(try path(first))")
            try first.setAttribute("user.tags", "home")
            try await stream.expect("removed \(try path(first))")
            try first.append("two three four")
            try await stream.expect("added \(try path(first))", times: 2)
            let gone = try path(first)
            try first.remove()
            try await stream.expect("removed \(gone)", times: 2)
            _ = try await stream.interrupt()
        }
    }
}
