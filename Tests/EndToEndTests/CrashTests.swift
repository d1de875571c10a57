import Glibc
import MountSupport
import Synchronization
import SystemPackage
import Testing

@Suite(.mounting, .timeLimit(.minutes(15)))
struct CrashTests {
    @Test func `killing docfs loses nothing that was written, closed or not`() async throws {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                try (container / "Closed.txt").create("closed")
            }
            let open = device.local / "Open.bin"
            let file = try open.open(.readWrite, .create)
            let content = LargeContent(pieces: 4)
            for index in 0..<content.pieces { try file.write(content.piece(index)) }
            try await device.crash()
            try? file.close()
            try await device.mount()
            #expect(try content.matches(open))
            for container in [device.local, device.cloud] {
                #expect(try (container / "Closed.txt").text() == "closed")
            }
        }
    }

    @Test func `entries made just before docfs is killed are there, and removed ones are gone`() async throws {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                for number in 1...30 { try (container / "Gone \(number).txt").create("gone") }
            }
            for container in [device.local, device.cloud] {
                for number in 1...30 { try (container / "Gone \(number).txt").remove() }
                for number in 1...30 { try (container / "Made \(number).txt").create("made \(number)") }
                try (container / "draft.tmp").create("draft")
                try (container / ".hidden").create("hidden")
            }
            try await device.crash()
            try await device.mount()
            for container in [device.local, device.cloud] {
                #expect(try container.documentNames().count == 32)
                for number in 1...30 {
                    let document = container / "Made \(number).txt"
                    #expect(try document.text() == "made \(number)")
                    #expect(try document.displayName() == "Made \(number)")
                    #expect(try document.filename() != "Made \(number).txt")
                    #expect(!(container / "Gone \(number).txt").exists)
                }
                #expect(try (container / "draft.tmp").text() == "draft")
                #expect(try (container / ".hidden").text() == "hidden")
            }
            try await device.waitUntilUploaded(device.cloud / "Made 30.txt")
        }
    }

    @Test func `of documents that are being saved by renaming each has its own content when docfs is killed`()
        async throws
    {
        try await withDevice(.displayNames) { device in
            /// The last word of a document that begins with its own number.
            func round(of number: Int) throws -> Int {
                let words = try (device.local / "\(number).txt").text().split(separator: " ")
                try #require(words.count == 3 && words[0] == "\(number):", "\(number).txt: \(words)")
                return try #require(Int(words[2]))
            }
            let numbers = 1...40
            for number in numbers { try (device.local / "\(number).txt").write("\(number): round 0") }
            for waitedFor in [40, 1, 23] {
                let start = try round(of: 1)
                async let saving = device.shell(
                    """
                    round=$START
                    while :; do
                        round=$((round + 1))
                        for number in $(seq 40); do
                            sed -i "s/round.*/round $round/" local/$number.txt || exit 0
                        done
                    done
                    """, environment: ["START": "\(start)"])
                try await eventually { try round(of: waitedFor) > start + 1 }
                device.killProcesses()
                _ = try await saving
                try await eventually { device.processes.isEmpty }
                try await device.clearDeadMount()
                try await device.mount()
                let rounds = try numbers.map(round)
                #expect(rounds == rounds.sorted(by: >))
                #expect(rounds[0] - rounds[39] <= 1)
            }
        }
    }

    @Test func `what was written through a mapping and synced is there after a crash`() async throws {
        try await withDevice { device in
            let document = device.local / "Mapped.bin"
            try document.write([UInt8](repeating: 0x61, count: 4096))
            let file = try document.open(.readWrite)
            let mapping = try #require(
                mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor.rawValue, 0))
            try #require(mapping != MAP_FAILED)
            mapping.assumingMemoryBound(to: UInt8.self)[100] = 0x62
            try #require(msync(mapping, 4096, MS_SYNC) == 0)
            try await device.crash()
            munmap(mapping, 4096)
            try? file.close()
            try await device.mount()
            #expect(try document.bytes()[100] == 0x62)
        }
    }

    @Test func `names, attributes, times, folders and links are as they were`() async throws {
        try await withDevice { device in
            try await device.shell("mkdir -p local/Trip/Days cloud/Trip")
            let document = device.local / "Trip" / "Days" / "Monday.txt"
            try document.create("monday")
            try document.setAttribute("user.colour", "green")
            let moment = timespec(tv_sec: 1_500_000_000, tv_nsec: 42)
            try document.setTimes(accessed: moment, modified: moment)
            try document.setPermissions(.ownerReadWrite)
            let renamed = device.local / "Trip" / "Tuesday.txt"
            try document.rename(to: renamed)
            let identity = try renamed.identity()
            try (device.cloud / "Trip" / "link").makeSymbolicLink(to: "target")
            try (device.local / "Gone.txt").create()
            try (device.local / "Gone.txt").remove()
            try await device.crash()
            try await device.mount()
            #expect(try renamed.identity() == identity)
            #expect(try renamed.text() == "monday")
            #expect(try renamed.attribute("user.colour") == "green")
            #expect(try renamed.stat().st_mtim.tv_nsec == 42)
            #expect(try renamed.stat().permissions == .ownerReadWrite)
            #expect(!document.exists)
            #expect(!(device.local / "Gone.txt").exists)
            #expect((device.cloud / "Trip" / "link").symbolicLinkTarget == "target")
            #expect(try device.local.documentNames() == ["Trip"])
        }
    }

    @Test func `a save by replacement is done or not done after a crash, never half`() async throws {
        try await withDevice { device in
            let document = device.local / "Report.txt"
            try document.write([UInt8](repeating: UInt8(ascii: "a"), count: 100_000))
            let identity = try document.identity()
            let saved = device.folder / "saved"
            for _ in 1...3 {
                try saved.write("")
                // The shell saves until its mount is gone.
                async let saves = runShell(
                    """
                    while :; do for letter in a b c d; do
                    head -c 100000 /dev/zero | tr '\\0' $letter > .goutputstream-X || exit 0
                    mv .goutputstream-X Report.txt || exit 0
                    echo >> "$SAVED"
                    done; done 2>/dev/null
                    """, in: device.local, environment: ["SAVED": saved.string])
                try await eventually { try saved.stat().size >= 5 }
                try await device.crash()
                _ = try await saves
                try await device.mount()
                let content = try document.bytes()
                #expect(content.count == 100_000)
                #expect(content.isUniform)
                #expect(try document.identity() == identity)
                #expect(
                    try device.local.documentNames().filter { $0 != ".goutputstream-X" }.count == 1)
            }
        }
    }

    @Test func `a crash in the midst of many saves loses none that was finished`() async throws {
        try await withDevice(.displayNames) { device in
            let finished = Mutex<[String]>([])
            async let writing: Void = {
                // Ends with the error that the dead mount gives.
                for index in 1...5000 {
                    let name = "Document \(index).txt"
                    guard (try? (device.local / name).create("content of \(name)")) != nil else {
                        return
                    }
                    finished.withLock { $0.append(name) }
                    await Task.yield()
                }
            }()
            try await eventually { finished.withLock { $0.count } >= 100 }
            try await device.crash()
            await writing
            try await device.mount()
            let names = finished.withLock { $0 }
            for name in names {
                #expect(try (device.local / name).text() == "content of \(name)")
            }
            // At most the one under way stands beside them.
            #expect(try device.local.documentNames().count - names.count <= 1)
        }
    }

    @Test func `pending changes are sent after a crash`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell("mkdir cloud/Trip")
            for index in 1...10 {
                try (laptop.cloud / "Trip" / "\(index).txt").create("day \(index)")
            }
            try await laptop.crash()
            try await laptop.mount()
            try await eventually {
                try (1...10).allSatisfy {
                    try (desktop.cloud / "Trip" / "\($0).txt").text() == "day \($0)"
                }
            }
            #expect(try laptop.treeState()["cloud.conflicts"] == "0")
        }
    }

    @Test func `a migration that a crash interrupts is completed or undone`() async throws {
        try await withTwoDevices { laptop, desktop in
            try await laptop.shell(
                "mkdir local/Trip && for i in $(seq 20); do echo day $i > local/Trip/$i.txt; done")
            for target in [laptop.cloud, laptop.local, laptop.cloud] {
                let source = target.string == laptop.cloud.string ? laptop.local : laptop.cloud
                try (source / "Trip").rename(to: target / "Trip")
                try await laptop.crash()
                try await laptop.mount()
                // The rename had returned, so it is done.
                #expect(try (target / "Trip").listing().count == 20)
                #expect(try (target / "Trip" / "7.txt").text() == "day 7\n")
                #expect(!(source / "Trip").exists)
            }
            try await eventually {
                try (desktop.cloud / "Trip" / "20.txt").text() == "day 20\n"
            }
        }
    }

    @Test func `a download that a crash interrupts begins again`() async throws {
        try await withTwoDevices { laptop, desktop in
            let content = LargeContent(pieces: 64)
            try content.write(to: laptop.cloud / "Film.bin")
            try await laptop.waitUntilUploaded(laptop.cloud / "Film.bin")
            let placeholder = desktop.cloud / "Film.bin"
            try await eventually { placeholder.exists }
            let file = try placeholder.open(.readOnly)
            _ = try file.read(count: 4096, at: 0)
            try await desktop.crash()
            try? file.close()
            try await desktop.mount()
            #expect(try content.matches(placeholder))
        }
    }

    @Test func `files in the store without a row are adopted`() async throws {
        try await withDevice { device in
            try await device.crash()
            let stored = device.storedLocal
            try await runShell(
                #"mkdir -p "$LOCAL/Found folder" "$CLOUD""#,
                environment: ["LOCAL": stored.string, "CLOUD": device.storedCloud.string])
            try (stored / "Found.txt").create("found")
            try (stored / "Named.txt").create("named")
            try (stored / "Named.txt").setAttribute("user.displayName", "My document")
            try (stored / "Found folder" / "Inner.md").create("inner")
            try (device.storedCloud / "Adopted.txt").create("adopted")
            try await device.mount()
            let container = device.local
            #expect(
                try Set(container.documentNames()) == ["Found.txt", "Named.txt", "Found folder"])
            #expect(try (container / "Found.txt").text() == "found")
            #expect(try (container / "Found.txt").filename() == "Found.txt")
            #expect(try (container / "Found.txt").displayName() == "Found")
            #expect(try (container / "Found.txt").state()["id"] != nil)
            #expect(try (container / "My document.txt").filename() == "Named.txt")
            #expect(try (container / "My document.txt").text() == "named")
            #expect(try (container / "Found folder" / "Inner.md").text() == "inner")
            #expect(try (device.cloud / "Adopted.txt").text() == "adopted")
            try await device.waitUntilUploaded(device.cloud / "Adopted.txt")
        }
    }

    @Test func `a mount whose catalog is lost adopts every document`() async throws {
        try await withDevice { device in
            try (device.local / "Groceries.txt").create("milk")
            try (device.local / "Folder").makeFolder()
            try (device.local / "Folder" / "Plan.txt").create("plan")
            let filename = try (device.local / "Groceries.txt").filename()
            try await device.unmount()
            try await runShell(
                "find \"$STORE\" -mindepth 1 -maxdepth 1 ! -name local ! -name cloud -exec rm -r {} +",
                environment: ["STORE": device.store.string])
            try await device.mount()
            #expect(try (device.local / "Groceries.txt").text() == "milk")
            #expect(try (device.local / "Groceries.txt").filename() == filename)
            #expect(try (device.local / "Folder" / "Plan.txt").text() == "plan")
        }
    }
}
