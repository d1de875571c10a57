/// Writes a zip archive from its beginning to its end, with nothing kept of what was written but names and places (APPNOTE.TXT 6.3.10 of
/// PKWARE). Each call returns the bytes that follow.
///
/// Sizes and checksums stand after the contents, as nothing is read twice. What is larger than 4 GiB has the fields of Zip64.
public struct ZipArchive: ~Copyable {
    /// A file or folder in it.
    public struct Entry: Sendable, Equatable {
        /// From the top of the archive on, with `/` between folders.
        public let path: String
        public let isFolder: Bool
        /// Bytes of the content. 0 for a folder.
        public let size: Int64
        /// As a zip archive has it: in local time, with two seconds a step.
        public let modified: Modified

        public init(path: String, isFolder: Bool, size: Int64, modified: Modified) {
            self.path = path
            self.isFolder = isFolder
            self.size = size
            self.modified = modified
        }

        /// The same with another size.
        public func sized(_ size: Int64) -> Entry {
            Entry(path: path, isFolder: isFolder, size: size, modified: modified)
        }

        fileprivate var name: [UInt8] { Array((isFolder ? path + "/" : path).utf8) }
        /// What is compressed may be a little larger than it was.
        fileprivate var isLarge: Bool { size >= 0xF000_0000 }
    }

    /// A local time.
    public struct Modified: Sendable, Equatable {
        fileprivate let date: UInt16
        fileprivate let clock: UInt16

        /// Times before 1980 and after 2107 become the nearest ones.
        public init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
            guard year >= 1980 else { (date, clock) = (1 << 5 | 1, 0); return }
            guard year <= 2107 else { (date, clock) = (127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29); return }
            date = UInt16((year - 1980) << 9 | month << 5 | day)
            clock = UInt16(hour << 11 | minute << 5 | min(second, 59) / 2)
        }
    }

    private struct Written {
        let entry: Entry
        let start: UInt64
        var checksum: UInt32 = 0
        var compressed: UInt64 = 0
        var size: UInt64 = 0
    }

    private static let deflated: UInt16 = 8
    private static let stored: UInt16 = 0
    /// Sizes and checksum follow the content, and names are UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let folderFlags: UInt16 = 1 << 11
    /// 4.5, for Zip64; by Unix, so that a folder's mode counts.
    private static let version: UInt16 = 45
    private static let madeBy: UInt16 = 3 << 8 | version

    private var written: [Written] = []
    private var offset: UInt64 = 0
    private var deflation: RunningDeflation?

    public init() {}

    /// Begins an entry. That of a file is followed by its content, and ended by `endEntry`.
    public mutating func begin(_ entry: Entry) -> [UInt8] {
        written.append(Written(entry: entry, start: offset))
        if !entry.isFolder { deflation = RunningDeflation() }
        var bytes = ZipBytes()
        bytes.add(0x0403_4b50 as UInt32)
        bytes.add(Self.version)
        addCommon(of: Written(entry: entry, start: 0), to: &bytes, isSized: false)
        bytes.add(UInt16(entry.name.count))
        bytes.add(UInt16(entry.isLarge ? 20 : 0))
        bytes.bytes += entry.name
        if entry.isLarge {
            bytes.add(1 as UInt16)
            bytes.add(16 as UInt16)
            bytes.add(0 as UInt64)
            bytes.add(0 as UInt64)
        }
        return advance(bytes.bytes)
    }

    /// The next bytes of the entry's content.
    public mutating func add(_ content: UnsafeRawBufferPointer) -> [UInt8] {
        written[written.count - 1].size += UInt64(content.count)
        let compressed = deflation?.add(content) ?? []
        written[written.count - 1].compressed += UInt64(compressed.count)
        return advance(compressed)
    }

    /// Ends the entry of a file.
    public mutating func endEntry() -> [UInt8] {
        let rest = deflation?.finish() ?? []
        written[written.count - 1].compressed += UInt64(rest.count)
        written[written.count - 1].checksum = deflation?.checksum ?? 0
        deflation = nil
        let last = written[written.count - 1]
        var bytes = ZipBytes(rest)
        bytes.add(0x0807_4b50 as UInt32)
        bytes.add(last.checksum)
        if last.entry.isLarge {
            bytes.add(last.compressed)
            bytes.add(last.size)
        } else {
            bytes.add(UInt32(last.compressed))
            bytes.add(UInt32(last.size))
        }
        return advance(bytes.bytes)
    }

    /// The end of the archive: the list of what is in it.
    public mutating func end() -> [UInt8] {
        let start = offset
        var bytes = ZipBytes()
        for one in written { addListed(one, to: &bytes) }
        let length = UInt64(bytes.bytes.count)
        let isLarge = written.count > 0xFFFE || start + length >= 0xFFFF_FFFF
        if isLarge {
            bytes.add(0x0606_4b50 as UInt32)
            bytes.add(44 as UInt64)
            bytes.add(Self.madeBy)
            bytes.add(Self.version)
            bytes.add(0 as UInt32)
            bytes.add(0 as UInt32)
            for number in [UInt64(written.count), UInt64(written.count), length, start] { bytes.add(number) }
            bytes.add(0x0706_4b50 as UInt32)
            bytes.add(0 as UInt32)
            bytes.add(start + length)
            bytes.add(1 as UInt32)
        }
        bytes.add(0x0605_4b50 as UInt32)
        bytes.add(0 as UInt16)
        bytes.add(0 as UInt16)
        let count = isLarge ? UInt16.max : UInt16(written.count)
        bytes.add(count)
        bytes.add(count)
        bytes.add(isLarge ? UInt32.max : UInt32(length))
        bytes.add(isLarge ? UInt32.max : UInt32(start))
        bytes.add(0 as UInt16)
        return advance(bytes.bytes)
    }

    private mutating func advance(_ bytes: [UInt8]) -> [UInt8] {
        offset += UInt64(bytes.count)
        return bytes
    }

    /// The fields that stand before a content as well as in the list.
    private func addCommon(of one: Written, to bytes: inout ZipBytes, isSized: Bool) {
        bytes.add(one.entry.isFolder ? Self.folderFlags : Self.flags)
        bytes.add(one.entry.isFolder ? Self.stored : Self.deflated)
        bytes.add(one.entry.modified.clock)
        bytes.add(one.entry.modified.date)
        bytes.add(one.checksum)
        let isLarge = one.entry.isLarge
        bytes.add(isLarge ? UInt32.max : isSized ? UInt32(one.compressed) : 0)
        bytes.add(isLarge ? UInt32.max : isSized ? UInt32(one.size) : 0)
    }

    private func addListed(_ one: Written, to bytes: inout ZipBytes) {
        let isFar = one.start >= 0xFFFF_FFFF
        var large = ZipBytes()
        if one.entry.isLarge {
            large.add(one.size)
            large.add(one.compressed)
        }
        if isFar { large.add(one.start) }
        bytes.add(0x0201_4b50 as UInt32)
        bytes.add(Self.madeBy)
        bytes.add(Self.version)
        addCommon(of: one, to: &bytes, isSized: true)
        bytes.add(UInt16(one.entry.name.count))
        bytes.add(UInt16(large.bytes.isEmpty ? 0 : large.bytes.count + 4))
        bytes.add(0 as UInt16)
        bytes.add(0 as UInt16)
        bytes.add(0 as UInt16)
        // The mode of Unix, and the mark of a folder of MS-DOS.
        bytes.add(one.entry.isFolder ? 0o040755 << 16 | 0x10 : 0o100644 << 16 as UInt32)
        bytes.add(isFar ? UInt32.max : UInt32(one.start))
        bytes.bytes += one.entry.name
        if !large.bytes.isEmpty {
            bytes.add(1 as UInt16)
            bytes.add(UInt16(large.bytes.count))
            bytes.bytes += large.bytes
        }
    }
}

/// Numbers in the order of bytes that zip has.
private struct ZipBytes {
    var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func add(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}
