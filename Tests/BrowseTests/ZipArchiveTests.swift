import Archives
import Foundation
import TestSupport
import Testing

/// Zip archives, read by other programs: Python's zipfile and unzip.
struct ZipArchiveTests {
    private static let time = ZipArchive.Modified(year: 2026, month: 11, day: 27, hour: 4, minute: 12, second: 33)

    private func archive(_ entries: [(path: String, content: [UInt8]?)]) -> [UInt8] {
        var archive = ZipArchive()
        var bytes: [UInt8] = []
        for (path, content) in entries {
            bytes += archive.begin(
                .init(path: path, isFolder: content == nil, size: Int64(content?.count ?? 0), modified: Self.time))
            guard let content else { continue }
            for start in stride(from: 0, to: content.count, by: 100_000) {
                let piece = Array(content[start..<min(content.count, start + 100_000)])
                bytes += piece.withUnsafeBytes { archive.add($0) }
            }
            bytes += archive.endEntry()
        }
        return bytes + archive.end()
    }

    private func python(_ script: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `other programs read names, times and contents`() throws {
        let random = pattern(1_000_003)
        let content: [(String, [UInt8]?)] = [
            ("Trip", nil), ("Trip/Ünïcode 📷.txt", Array("tea\n".utf8)), ("Trip/Empty.txt", []), ("random.bin", random),
            ("zeros.bin", Array(repeating: 0, count: 3_000_000)),
        ]
        try withTemporaryFolder { folder in
            let path = folder + "/a.zip"
            try Data(archive(content)).write(to: URL(filePath: path))
            let told = try python(
                """
                import sys, zipfile
                archive = zipfile.ZipFile(sys.argv[1])
                assert archive.testzip() is None
                for one in archive.infolist():
                    print(one.filename, one.file_size, one.date_time, one.is_dir(), one.external_attr >> 16 & 0o777 == (0o755 if one.is_dir() else 0o644))
                assert archive.read("random.bin") == open(sys.argv[2], "rb").read()
                """, path,
                {
                    try Data(random).write(to: URL(filePath: folder + "/random")); return folder + "/random"
                }())
            #expect(
                told == """
                    Trip/ 0 (2026, 11, 27, 4, 12, 32) True True
                    Trip/Ünïcode 📷.txt 4 (2026, 11, 27, 4, 12, 32) False True
                    Trip/Empty.txt 0 (2026, 11, 27, 4, 12, 32) False True
                    random.bin 1000003 (2026, 11, 27, 4, 12, 32) False True
                    zeros.bin 3000000 (2026, 11, 27, 4, 12, 32) False True

                    """)
        }
    }

    /// Programs that read from a pipe know no list: `bsdtar` goes by what stands beside each content.
    @Test func `it is read from a pipe, and many entries are read, too`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a.zip"
            let many = (0..<70_000).map { (path: "\($0).txt", content: [UInt8]("\($0)".utf8) as [UInt8]?) }
            try Data(archive(many)).write(to: URL(filePath: path))
            let told = try python(
                """
                import subprocess, sys, zipfile
                archive = zipfile.ZipFile(sys.argv[1])
                assert len(archive.infolist()) == 70000 and archive.read("69999.txt") == b"69999"
                listed = subprocess.run(["bsdtar", "-tf", "-"], stdin=open(sys.argv[1], "rb"), capture_output=True, check=True)
                print(len(listed.stdout.split()))
                """, path)
            #expect(told == "70000\n")
        }
    }

    @Test func `what is larger than 4 GiB has the fields for that`() throws {
        // The content is left out: its size alone says how it is written.
        var archive = ZipArchive()
        let large = ZipArchive.Entry(path: "film", isFolder: false, size: 5 << 30, modified: Self.time)
        var bytes = archive.begin(large)
        bytes += Array("short".utf8).withUnsafeBytes { archive.add($0) }
        bytes += archive.endEntry()
        bytes += archive.end()
        try withTemporaryFolder { folder in
            let path = folder + "/a.zip"
            try Data(bytes).write(to: URL(filePath: path))
            let told = try python(
                """
                import sys, zipfile
                one, = zipfile.ZipFile(sys.argv[1]).infolist()
                print(one.file_size, one.compress_size > 0, zipfile.ZipFile(sys.argv[1]).read("film"))
                """, path)
            #expect(told == "5 True b'short'\n")
        }
    }

    @Test func `times that zip cannot have become the nearest ones`() {
        #expect(
            ZipArchive.Modified(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0)
                == .init(year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0))
        #expect(
            ZipArchive.Modified(year: 2200, month: 5, day: 1, hour: 0, minute: 0, second: 0)
                == .init(year: 2107, month: 12, day: 31, hour: 23, minute: 59, second: 59))
    }
}
