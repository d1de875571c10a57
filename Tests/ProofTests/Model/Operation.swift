import Glibc

/// A path as a program says it: below the tree's root, or below a folder that it holds open.
struct Place: Codable, Hashable, Sendable, CustomStringConvertible {
    /// A folder that is held open (`Session.folders`); nil for the root, by its absolute path.
    var folder: Int?
    var path: String

    init(_ path: String, folder: Int? = nil) {
        self.path = path
        self.folder = folder
    }

    var description: String { folder.map { "<folder \($0)>/\(path)" } ?? path }
}

/// Bytes that a number tells, so that a script stays short.
struct SampleBytes: Codable, Hashable, Sendable {
    var count: Int
    var seed: UInt8

    private static let all = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    var bytes: [UInt8] {
        let start = Int(seed) * 37
        return Array(Self.all[start..<start + count])
    }
}

/// What a program does to files. Each is carried out on the mount and in a plain folder, and has the same result.
enum Operation: Codable, Hashable, Sendable {
    // Handles
    case open(slot: Int, place: Place, flags: Int32, mode: UInt32)
    case close(slot: Int)
    /// At the place of the handle's cursor without an offset.
    case write(slot: Int, offset: Int?, content: SampleBytes)
    case read(slot: Int, offset: Int?, count: Int)
    case seek(slot: Int, offset: Int, whence: Int32)
    case resize(slot: Int, size: Int)
    case allocate(slot: Int, mode: Int32, offset: Int, count: Int)
    case copyRange(source: Int, target: Int, sourceOffset: Int, targetOffset: Int, count: Int)
    case synchronize(slot: Int)
    case setModeOfHandle(slot: Int, mode: UInt32)
    case lock(slot: Int, operation: Int32)
    case lockRange(slot: Int, type: Int32, start: Int, count: Int)
    // Mappings
    case map(mapping: Int, slot: Int)
    case writeMapped(mapping: Int, offset: Int, content: SampleBytes)
    case readMapped(mapping: Int, offset: Int, count: Int)
    case unmap(mapping: Int)
    // Names
    case rename(source: Place, target: Place, flags: UInt32)
    case remove(place: Place)
    case makeFolder(place: Place, mode: UInt32)
    case removeFolder(place: Place)
    case makeLink(target: String, place: Place)
    case truncate(place: Place, size: Int)
    case setMode(place: Place, mode: UInt32)
    case setModified(place: Place, seconds: Int)
    case access(place: Place, mode: Int32)
    // Attributes
    case setAttribute(place: Place, name: String, value: SampleBytes, condition: Int32)
    case setAttributeOfHandle(slot: Int, name: String, value: SampleBytes)
    case removeAttribute(place: Place, name: String)
    // Folders that are held open, as working directories are, and listings under way
    case openFolder(slot: Int, place: Place)
    case closeFolder(slot: Int)
    case beginListing(place: Place)
    case continueListing(count: Int)
    // What only a mount of docfs has, with what it means for a plain folder
    /// `setfattr -n user.displayName`
    case setDisplayName(place: Place, name: String)
    /// `mv FOLDER/FILENAME OTHER/FILENAME`, with the generated filename.
    case moveByFilename(place: Place, folder: String)
    /// `mv` of the whole tree to the other container.
    case migrate
    /// Commands of other processes, of which the last ones are undone, and some of those done again.
    case undo(commands: [Command], undone: Int, redone: Int)
}

/// A command of another process: one action (Semantics, "Undo and redo"). What it is about is chosen among what is there.
struct Command: Codable, Hashable, Sendable {
    enum Kind: String, Codable, CaseIterable, Sendable {
        case makeDocument, makeFolder, makeLink, remove, move
    }

    var kind: Kind
    /// Counts through what is there.
    var subject: Int
    /// Counts through the folders that are there.
    var folder: Int
    /// A name that nothing had before.
    var name: String
}
