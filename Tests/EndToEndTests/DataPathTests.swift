import Glibc
import MountSupport
import SystemPackage
import Testing

/// Rules that hold whether the kernel reads and writes backing files by itself (passthrough) or asks
/// docfs: `scripts/test` runs all tests here both ways, as root and as an ordinary user.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct DataPathTests {
    @Test(arguments: ["local", "cloud"])
    func `size and times follow what is written into a mapping`(container: String) async throws {
        // The name that is listed, whose attributes the kernel remembers.
        try await withDevice(.displayNames) { device in
            try (device.documents / container / "Map.bin").create("0123456789")
            try await device.python(
                """
                import mmap, os, sys
                path = sys.argv[1] + "/Map.bin"
                os.utime(path, (1, 1))
                assert os.stat(path).st_mtime == 1
                file = os.open(path, os.O_RDWR)
                os.truncate(path, 8192)
                assert os.stat(path).st_size == os.fstat(file).st_size == 8192
                os.utime(path, (1, 1))
                with mmap.mmap(file, 8192) as memory:
                    assert os.stat(path).st_mtime == 1
                    memory[8000:8004] = b"abcd"
                    memory.flush()
                    assert os.stat(path).st_mtime > 1, os.stat(path)
                    assert os.pread(file, 4, 8000) == b"abcd"
                os.close(file)
                assert os.stat(path).st_mtime > 1
                assert open(path, "rb").read()[8000:8004] == b"abcd"
                """, container)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `size and times follow each write`(container: String) async throws {
        // The name that is listed, whose attributes the kernel remembers.
        try await withDevice(.displayNames) { device in
            try await device.python(
                """
                import os, sys
                path = sys.argv[1] + "/Log.txt"
                file = os.open(path, os.O_RDWR | os.O_CREAT)
                assert os.stat(path).st_size == 0
                for count in range(1, 50):
                    os.utime(path, (1, 1))
                    os.write(file, b"x" * 1000)
                    status = os.stat(path)
                    assert (status.st_size, status.st_mtime > 1) == (1000 * count, True), status
                os.truncate(path, 10)
                assert os.fstat(file).st_size == 10
                os.pwrite(file, b"y", 99)
                assert os.stat(path).st_size == os.lseek(file, 0, os.SEEK_END) == 100
                os.posix_fallocate(file, 0, 5000)
                assert os.stat(path).st_size == 5000
                """, container)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `one document is open many times in many ways`(container: String) async throws {
        try await withDevice { device in
            try (device.documents / container / "Plan.txt").create("old old old")
            try await device.python(
                """
                import os, sys
                path = sys.argv[1] + "/Plan.txt"
                readers = [os.open(path, os.O_RDONLY) for _ in range(20)]
                writer = os.open(path, os.O_WRONLY)
                both = os.open(path, os.O_RDWR)
                appender = os.open(path, os.O_WRONLY | os.O_APPEND)
                os.pwrite(writer, b"new", 0)
                os.pwrite(both, b"New", 4)
                os.write(appender, b" end")
                for reader in readers:
                    assert os.pread(reader, 100, 0) == b"new New old end", os.pread(reader, 100, 0)
                try:
                    os.write(readers[0], b"x")
                    assert False
                except OSError as error:
                    assert error.errno == 9
                for file in readers[:-1] + [both, appender]: os.close(file)
                emptied = os.open(path, os.O_WRONLY | os.O_TRUNC)
                assert os.pread(readers[-1], 100, 0) == b""
                os.pwrite(writer, b"late", 0)
                assert os.pread(readers[-1], 100, 0) == b"late"
                """, container)
        }
    }

    @Test func `an open document is unlinked, renamed over and truncated as a plain file is`() async throws {
        try await withDevice { device in
            try await device.python(
                """
                import os
                os.chdir("local")
                def text(name, content):
                    with open(name, "w") as file: file.write(content)
                text("A.txt", "first")
                file = os.open("A.txt", os.O_RDWR)
                os.unlink("A.txt")
                os.pwrite(file, b"still here", 0)
                assert os.pread(file, 100, 0) == b"still here"
                assert os.fstat(file).st_size == 10 and os.fstat(file).st_nlink == 0
                os.ftruncate(file, 5)
                assert os.fstat(file).st_size == 5 and os.pread(file, 100, 0) == b"still"

                text("B.txt", "old")
                old = os.open("B.txt", os.O_RDWR)
                text(".goutputstream-1", "new")
                os.rename(".goutputstream-1", "B.txt")
                assert os.pread(old, 100, 0) == b"old"
                os.pwrite(old, b"OLD", 0)
                assert open("B.txt").read() == "new" and os.pread(old, 100, 0) == b"OLD"

                text("C.txt", "0123456789")
                file = os.open("C.txt", os.O_RDONLY)
                os.truncate("C.txt", 4)
                assert os.pread(file, 100, 0) == b"0123"
                os.truncate("C.txt", 6)
                assert os.pread(file, 100, 0) == b"0123\\0\\0"
                """)
        }
    }

    @Test(arguments: ["local", "cloud"])
    func `copy_file_range and splice work between documents, and O_DIRECT past the cache`(container: String)
        async throws
    {
        try await withDevice { device in
            try await device.python(
                """
                import mmap, os, sys
                os.chdir(sys.argv[1])
                content = os.urandom(300_000)
                with open("From.bin", "wb") as file: file.write(content)
                source, target = os.open("From.bin", os.O_RDONLY), os.open("To.bin", os.O_RDWR | os.O_CREAT)
                copied = 0
                while copied < 200_000:
                    copied += os.copy_file_range(source, target, 200_000 - copied, copied, copied)
                assert os.stat("To.bin").st_size == 200_000
                into, out = os.pipe()
                moved = 200_000
                while moved < 300_000:
                    count = os.splice(source, out, 50_000, offset_src=moved)
                    while count > 0:
                        written = os.splice(into, target, count, offset_dst=moved)
                        moved, count = moved + written, count - written
                assert open("To.bin", "rb").read() == content
                assert os.stat("To.bin").st_size == 300_000

                page = mmap.mmap(-1, 4096)
                page.write(b"d" * 4096)
                direct = os.open("To.bin", os.O_RDWR | os.O_DIRECT)
                assert os.pwritev(direct, [page], 8192) == 4096
                assert os.pread(target, 4096, 8192) == b"d" * 4096
                os.pwrite(target, b"e" * 4096, 4096)
                os.preadv(direct, [page], 4096)
                assert page[:] == b"e" * 4096
                """, container)
        }
    }

    /// The kernel gives the flags of open(2) to the file in the store, and fcntl(2) does not change them there.
    @Test(arguments: ["local", "cloud"])
    func `a program may take O_DIRECT back for a short block at the end`(container: String) async throws {
        try await withDevice { device in
            try await device.python(
                """
                import fcntl, mmap, os, subprocess, sys
                os.chdir(sys.argv[1])
                page = mmap.mmap(-1, 4096)
                page.write(b"a" * 4096)
                direct = os.open("Disk.img", os.O_RDWR | os.O_CREAT | os.O_DIRECT)
                assert os.pwritev(direct, [page], 0) == 4096
                fcntl.fcntl(direct, fcntl.F_SETFL, fcntl.fcntl(direct, fcntl.F_GETFL) & ~os.O_DIRECT)
                assert os.pwrite(direct, b"b" * 511, 4096) == 511
                assert open("Disk.img", "rb").read() == b"a" * 4096 + b"b" * 511
                mapping = mmap.mmap(direct, 4607)
                mapping[0] = ord("c")
                assert os.pread(direct, 2, 0) == b"ca"
                os.close(direct)
                for flag in ["iflag", "oflag"]:
                    subprocess.run(["dd", "if=Disk.img", f"of={flag}.img", flag + "=direct", "bs=4096"], check=True)
                    assert open(flag + ".img", "rb").read() == b"c" + b"a" * 4095 + b"b" * 511
                """, container)
            try await eventually { try device.treeState()["cloud.pending"] == "0" }
        }
    }

    @Test func `a document that migrates while it is written to reaches the cloud with all that was written`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.local / "Plan.txt"
            try document.create("old text")
            let file = try document.open(.readWrite)
            try file.write(Array("1".utf8), at: 0)
            try document.rename(to: laptop.cloud / "Plan.txt")
            try file.write(Array("2".utf8), at: 1)
            try file.close()
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "12d text" }
        }
    }

    @Test func `a write into a mapping is a save, also when its descriptor was closed before`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Map.txt"
            try document.create("0123456789")
            try await laptop.waitUntilUploaded(document)
            // Not by Python, whose mappings keep a descriptor of their own.
            let file = try document.open(.readWrite)
            let mapping = try #require(
                mmap(nil, 10, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor.rawValue, 0))
            try #require(mapping != MAP_FAILED)
            try file.close()
            mapping.storeBytes(of: UInt8(ascii: "a"), toByteOffset: 2, as: UInt8.self)
            munmap(mapping, 10)
            try await eventually { try (desktop.cloud / "Map.txt").text() == "01a3456789" }
        }
    }

    @Test func `a write into a mapping after a newer version came is a conflict, and nothing is lost`()
        async throws
    {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Map.txt"
            try document.create("0123456789")
            try await eventually { try (desktop.cloud / "Map.txt").text() == "0123456789" }
            let file = try document.open(.readWrite)
            let mapping = try #require(
                mmap(nil, 10, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor.rawValue, 0))
            try #require(mapping != MAP_FAILED)
            try file.close()
            try (desktop.cloud / "Map.txt").write("from elsewhere")
            try await desktop.waitUntilUploaded(desktop.cloud / "Map.txt")
            // A round that took what the desktop sent.
            try (desktop.cloud / "Marker.txt").create("marker")
            try await eventually { (laptop.cloud / "Marker.txt").exists }
            mapping.storeBytes(of: UInt8(ascii: "a"), toByteOffset: 2, as: UInt8.self)
            munmap(mapping, 10)
            for device in [laptop, desktop] {
                let document = device.cloud / "Map.txt"
                try await eventually { try document.state()["conflicts"] == "1" }
                let folder = device.cloud / "Map.txt.conflicts"
                let other = try #require(try folder.listing().first)
                #expect(try Set([document.text(), (folder / other).text()]) == ["from elsewhere", "01a3456789"])
            }
        }
    }

    @Test func `what was written when docfs was killed is sent by the next mount`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            try document.create("plan")
            try await laptop.waitUntilUploaded(document)
            let file = try document.open(.readWrite)
            try file.write(Array("PLAN".utf8), at: 0)
            try await laptop.crash()
            try? file.close()
            try await laptop.mount()
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "PLAN" }
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser has passthrough"), arguments: ["local", "cloud"])
    func `reads and writes do not go through docfs`(container: String) async throws {
        try await withDevice { device in
            let document = device.documents / container / "Large.bin"
            try document.create("")
            let process = try #require(device.processes.first)
            func transferred() throws -> Int {
                // The first two lines: all that was read and written.
                let lines = try FilePath("/proc/\(process)/io").text().split(separator: "\n").prefix(2)
                return lines.compactMap { Int($0.split(separator: " ")[1]) }.reduce(0, +)
            }
            let before = try transferred()
            let file = try document.open(.readWrite)
            let megabyte = [UInt8](repeating: 7, count: 1 << 20)
            for index in 0..<8 { try file.write(megabyte, at: Int64(index) << 20) }
            for index in 0..<8 { #expect(try file.read(count: 1 << 17, at: Int64(index) << 20).allSatisfy { $0 == 7 }) }
            #expect(try transferred() - before < 1 << 20)
        }
    }

    @Test func `what was written right before the mount ended is sent by the next one`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            try document.create("plan")
            try await laptop.waitUntilUploaded(document)
            for round in 0..<5 {
                let file = try document.open(.readWrite)
                try file.write(Array("PLAN \(round)".utf8), at: 0)
                try file.close()
                try await laptop.remount()
                try await eventually { try (desktop.cloud / "Plan.txt").text() == "PLAN \(round)" }
            }
        }
    }

    @Test func `a document open since it was local is edited in the cloud as any other`() async throws {
        try await withTwoDevices { laptop, desktop in
            try (laptop.local / "Plan.txt").create("plan")
            let reader = try (laptop.local / "Plan.txt").open(.readOnly)
            let document = laptop.cloud / "Plan.txt"
            try (laptop.local / "Plan.txt").rename(to: document)
            try await laptop.waitUntilUploaded(document)
            let writer = try document.open(.readWrite)
            try writer.write(Array("PLAN".utf8), at: 0)
            #expect(try document.state()["uploading"] == "waiting")
            try writer.close()
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "PLAN" }
            #expect(try reader.text() == "PLAN")
        }
    }

    @Test func `a save of the same size is sent even where its times are set back`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            try document.create("aaaa")
            try await laptop.waitUntilUploaded(document)
            try await laptop.python(
                """
                import os
                before = os.stat("cloud/Plan.txt")
                file = os.open("cloud/Plan.txt", os.O_RDWR)
                os.pwrite(file, b"bbbb", 0)
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
                os.close(file)
                """)
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "bbbb" }
        }
    }

    @Test func `saves that follow each other at once are all sent`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            for round in 0..<20 {
                try document.write("round \(round + 10)")
                try document.write("Round \(round + 10)")
            }
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "Round 29" }
        }
    }

    @Test func `opening for writing without writing is no save`() async throws {
        try await withDevice { device in
            let document = device.cloud / "Plan.txt"
            try document.create("plan")
            try await device.waitUntilUploaded(document)
            try document.open(.readWrite).close()
            #expect(try document.state()["uploading"] == "uploaded")
        }
    }

    @Test func `a document that is being written here outlives its deletion elsewhere`() async throws {
        try await withTwoDevices { laptop, desktop in
            let document = laptop.cloud / "Plan.txt"
            try document.create("plan")
            try await laptop.waitUntilUploaded(document)
            try await eventually { (desktop.cloud / "Plan.txt").exists }
            let file = try document.open(.readWrite)
            try file.write(Array("PLAN, and more".utf8), at: 0)
            try (desktop.cloud / "Plan.txt").remove()
            try await eventually { try desktop.treeState()["cloud.pending"] == "0" }
            // Its earlier deletion has arrived here, so a round that read both was made.
            try (desktop.cloud / "Marker.txt").create("marker")
            try await eventually { (laptop.cloud / "Marker.txt").exists }
            try file.close()
            #expect(try document.text() == "PLAN, and more")
            try await laptop.waitUntilUploaded(document)
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "PLAN, and more" }
        }
    }

    @Test(
        .enabled(if: getuid() == 0, "only the superuser becomes someone else"),
        arguments: ["write", "truncate", "append", "empty", "allocate"])
    func `a change by somebody without privilege takes set-id bits away`(way: String) async throws {
        try await withUnmountedDevice { device in
            let mounted = try await device.attemptMount(device.mountArguments + ["--allow-other"])
            try #require(mounted.exitStatus == 0, "\(mounted.standardError)")
            try await device.python(
                """
                import os, sys
                path = "local/Tool.bin"
                with open(path, "wb") as file: file.write(b"0123456789")
                os.chmod(path, 0o6777)
                with open(path, "r+b") as file: file.write(b"x")
                assert os.stat(path).st_mode & 0o7777 == 0o6777, "the superuser's writes keep them"
                os.setgid(65534); os.setuid(65534)
                if sys.argv[1] == "truncate": os.truncate(path, 3)
                elif sys.argv[1] == "empty": os.open(path, os.O_WRONLY | os.O_TRUNC)
                elif sys.argv[1] == "allocate": os.posix_fallocate(os.open(path, os.O_RDWR), 0, 100)
                else:
                    file = os.open(path, os.O_RDWR | (os.O_APPEND if sys.argv[1] == "append" else 0))
                    os.write(file, b"y")
                assert os.stat(path).st_mode & 0o7777 == 0o777, oct(os.stat(path).st_mode)
                """, way)
        }
    }

    @Test(.enabled(if: getuid() == 0, "only the superuser gives files away"))
    func `a change of owner takes set-id bits away`() async throws {
        try await withDevice { device in
            try await device.python(
                """
                import os
                path = "local/Tool.bin"
                open(path, "wb").close()
                os.chmod(path, 0o6755)
                os.chown(path, 65534, -1)
                assert os.stat(path).st_mode & 0o7777 == 0o755, oct(os.stat(path).st_mode)
                os.chmod(path, 0o2644)
                os.chown(path, -1, 65534)
                assert os.stat(path).st_mode & 0o7777 == 0o2644, oct(os.stat(path).st_mode)
                """)
        }
    }

    @Test func `the status of a mount says which way the data goes`() async throws {
        try await withDevice { device in
            let status = try await device.docfs("status", device.mountpoint.string)
            let line = try #require(status.standardOutput.split(separator: "\n").first { $0.hasPrefix("data path: ") })
            if getuid() == 0 {
                #expect(line == "data path: passthrough")
            } else {
                #expect(line.hasPrefix("data path: through docfs (no passthrough: "))
                #expect(line.contains("CAP_SYS_ADMIN"))
            }
        }
    }
}

extension Device {
    /// Runs a Python program with `Documents` as its working directory; a failed assertion fails it.
    fileprivate func python(_ program: String, _ argument: String = "") async throws {
        try await shell(
            "python3 -c \"$PROGRAM\" \"$ARGUMENT\"", environment: ["PROGRAM": program, "ARGUMENT": argument])
    }
}
