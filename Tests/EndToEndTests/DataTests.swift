import Glibc
import MountSupport
import SystemPackage
import Testing
import TestSupport

@Suite(.mounting, .timeLimit(.minutes(15)))
struct DataTests {
    @Test(arguments: ["local", "cloud"])
    func `writes at any offset read back as a plain file would give them`(container: String)
        async throws
    {
        try await withDevice { device in
            let document = device.documents / container / "Data.bin"
            let file = try document.open(.readWrite, .create)
            var model: [UInt8] = []
            var generator = SeededGenerator(seed: 7)
            for _ in 0..<300 {
                let offset = Int.random(in: 0..<400_000, using: &generator)
                let length = Int.random(in: 1..<20_000, using: &generator)
                let bytes = [UInt8](
                    repeating: UInt8.random(in: 1...255, using: &generator), count: length)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    try file.truncate(to: Int64(offset))
                    model = Array(model.prefix(offset))
                    model += [UInt8](repeating: 0, count: offset - model.count)
                default:
                    try file.write(bytes, at: Int64(offset))
                    model += [UInt8](repeating: 0, count: max(0, offset + length - model.count))
                    model.replaceSubrange(offset..<offset + length, with: bytes)
                }
            }
            #expect(try document.stat().size == Int64(model.count))
            #expect(try file.readAll() == model)
            try file.close()
            #expect(try document.bytes() == model)
            try await device.remount()
            #expect(try document.bytes() == model)
        }
    }

    @Test func `a large document is read back as written`() async throws {
        try await withDevice { device in
            let content = LargeContent(pieces: 32)
            let document = device.local / "Film.bin"
            try content.write(to: document)
            #expect(try content.matches(document))
            let filename = try document.filename()
            #expect(try content.matches(device.storedLocal / filename))
        }
    }

    @Test func `O_APPEND writes at the end, even if others write`() async throws {
        try await withDevice { device in
            let document = device.local / "Log.txt"
            try document.create()
            let first = try document.open(.writeOnly, .append)
            let second = try document.open(.writeOnly, .append)
            for index in 0..<50 {
                try first.write("first \(index)\n")
                try second.write("second \(index)\n")
            }
            let expected = (0..<50).map { "first \($0)\nsecond \($0)\n" }.joined()
            #expect(try document.text() == expected)
            try await device.shell(
                "for i in 1 2 3 4; do (for j in $(seq 50); do echo $i >> local/Log.txt; done) & done; wait"
            )
            #expect(try document.stat().size == Int64(expected.utf8.count + 400))
        }
    }

    @Test func `O_TRUNC empties a document, and a document opened with it is the same one`()
        async throws
    {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            try document.create("milk, eggs, bread")
            let identity = try document.identity()
            let file = try document.open(.readWrite, .truncate)
            #expect(try document.stat().size == 0)
            try file.write("tea")
            #expect(try document.text() == "tea")
            #expect(try document.identity() == identity)
        }
    }

    @Test func `truncating cuts, and extends with zeros`() async throws {
        try await withDevice { device in
            let document = device.local / "Data.bin"
            try document.create("0123456789")
            try document.call { truncate($0, 4) }
            #expect(try document.text() == "0123")
            try document.call { truncate($0, 8) }
            #expect(try document.bytes() == Array("0123".utf8) + [0, 0, 0, 0])
            let file = try document.open(.readWrite)
            try file.truncate(to: 2)
            #expect(try file.text() == "01")
        }
    }

    @Test func `fallocate extends, keeps the size when asked, and punches holes`() async throws {
        try await withDevice { device in
            let document = device.local / "Data.bin"
            let file = try document.open(.readWrite, .create)
            try file.write([UInt8](repeating: 0x61, count: 16384))
            try file.allocate(offset: 16384, length: 16384)
            #expect(try document.stat().size == 32768)
            #expect(try file.read(count: 16384, at: 16384).allSatisfy { $0 == 0 })
            try file.allocate(.keepSize, offset: 32768, length: 65536)
            #expect(try document.stat().size == 32768)
            try file.allocate([.keepSize, .punchHole], offset: 4096, length: 8192)
            let content = try file.readAll()
            #expect(content.count == 32768)
            #expect(content[0..<4096].allSatisfy { $0 == 0x61 })
            #expect(content[4096..<12288].allSatisfy { $0 == 0 })
            #expect(content[12288..<16384].allSatisfy { $0 == 0x61 })
        }
    }

    @Test func `lseek finds data and holes`() async throws {
        try await withDevice { device in
            let document = device.local / "Sparse.bin"
            let file = try document.open(.readWrite, .create)
            let megabyte = 1 << 20
            try file.write([UInt8](repeating: 1, count: 65536), at: 0)
            try file.write([UInt8](repeating: 2, count: 65536), at: Int64(megabyte))
            try file.truncate(to: Int64(2 * megabyte))
            #expect(try file.seek(.data, from: 0) == 0)
            #expect(try file.seek(.hole, from: 0) == 65536)
            #expect(try file.seek(.data, from: 65536) == megabyte)
            #expect(try file.seek(.hole, from: megabyte) == megabyte + 65536)
            #expect(throws: Errno.noSuchAddressOrDevice) {
                try file.seek(.data, from: megabyte + 65536)
            }
            #expect(throws: Errno.noSuchAddressOrDevice) {
                try file.seek(.hole, from: 2 * megabyte)
            }
            #expect(try file.descriptor.seek(offset: 0, from: .end) == Int64(2 * megabyte))
            // Holes take no room.
            #expect(try document.stat().blocksAllocated * 512 < megabyte)
        }
    }

    @Test func `copy_file_range copies within and between documents`() async throws {
        try await withDevice { device in
            let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let source = device.local / "Source.bin"
            try source.write(content)
            for target in [device.local / "Target.bin", device.cloud / "Target.bin"] {
                let input = try source.open(.readOnly)
                let output = try target.open(.readWrite, .create)
                var inputOffset: off_t = 1000
                var outputOffset: off_t = 10
                while outputOffset < 100_010 {
                    let copied = try input.call { inputDescriptor in
                        glibcCopyFileRange(
                            inputDescriptor, &inputOffset, output.descriptor.rawValue,
                            &outputOffset, 100_010 - Int(outputOffset), 0)
                    }
                    try #require(copied > 0)
                }
                #expect(
                    try target.bytes()
                        == [UInt8](repeating: 0, count: 10) + content[1000..<101_000])
            }
        }
    }

    @Test func `a shared mapping writes, and a mapping sees what is written`() async throws {
        try await withDevice { device in
            let document = device.local / "Mapped.bin"
            try document.write([UInt8](repeating: 0x61, count: 10_000))
            let file = try document.open(.readWrite)
            let size = 10_000
            let mapping = try #require(
                mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor.rawValue, 0))
            try #require(mapping != MAP_FAILED)
            defer { munmap(mapping, size) }
            let bytes = mapping.assumingMemoryBound(to: UInt8.self)
            #expect(bytes[9_999] == 0x61)
            bytes[0] = 0x62
            bytes[5_000] = 0x63
            try #require(msync(mapping, size, MS_SYNC) == 0)
            let content = try document.bytes()
            #expect(content[0] == 0x62 && content[5_000] == 0x63 && content[1] == 0x61)
            try file.write([0x64], at: 7_000)
            #expect(bytes[7_000] == 0x64)
            let filename = try document.filename()
            #expect(try (device.storedLocal / filename).bytes()[5_000] == 0x63)
        }
    }

    @Test func `a document removed while open is read and written to its end`() async throws {
        try await withDevice { device in
            for container in [device.local, device.cloud] {
                let document = container / "Groceries.txt"
                let file = try document.open(.readWrite, .create)
                try file.write("milk\n")
                let filename = try document.filename()
                try document.remove()
                #expect(!document.exists)
                #expect(!(container / filename).exists)
                #expect(try container.documentNames() == [])
                try file.write("eggs\n")
                #expect(try file.text() == "milk\neggs\n")
                #expect(try file.descriptor.stat().size == 10)
                try file.close()
                #expect(try container.documentNames() == [])
            }
        }
    }

    @Test func `locks work between processes`() async throws {
        try await withDevice { device in
            let document = device.local / "Shared.txt"
            try document.create()
            let file = try document.open(.readWrite)
            try file.call { flock($0, LOCK_EX) }
            try await device.shell("flock -n local/Shared.txt true", exitStatus: 1)
            try file.call { flock($0, LOCK_UN) }
            try await device.shell("flock -n local/Shared.txt true")
            let program = """
                import fcntl, sys
                with open('local/Shared.txt', 'r+') as f:
                    try: fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError: sys.exit(9)
                """
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            try file.call { fcntl($0, F_SETLK, &lock) }
            try await device.shell(
                "python3 -c \"$PROGRAM\"", environment: ["PROGRAM": program], exitStatus: 9)
            lock.l_type = Int16(F_UNLCK)
            try file.call { fcntl($0, F_SETLK, &lock) }
            try await device.shell("python3 -c \"$PROGRAM\"", environment: ["PROGRAM": program])
        }
    }

    @Test func `fsync and fdatasync succeed, and the data they covered is in the store`() async throws {
        try await withDevice { device in
            let document = device.local / "Groceries.txt"
            let file = try document.open(.readWrite, .create)
            try file.write("milk")
            try file.synchronize()
            let filename = try document.filename()
            #expect(try (device.storedLocal / filename).text() == "milk")
            try file.write(", eggs")
            try file.call { fdatasync($0) }
            #expect(try (device.storedLocal / filename).text() == "milk, eggs")
        }
    }
}
