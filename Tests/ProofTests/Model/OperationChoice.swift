import Glibc
import MountSupport
import TestSupport

/// Operations that meet each other often: few names, a few folders, of all kinds that docfs treats in their own way. Names that mean
/// something of their own (Semantics: `Untitled`, `F.state`, `.order`, names like those that the filename conventions make) are not used.
struct OperationChoice {
    var random: SeededGenerator
    private var newNames = 0

    init(random: SeededGenerator) { self.random = random }

    private static let names = [
        "a.txt", "a.txt", "b.md", "c", "x.tmp", ".hid", "e~", "a.txt~", "a.txt.bak", "b.bak", "Plan 1.txt", "日本.txt",
        "link",
        "link 2", "dir",
    ]
    private static let folders = ["", "", "dir", "dir/in", "two", "two/.dot", ".dot", "link"]
    private static let oddPaths = [
        "a.txt/", "a.txt/x", "dir/", "dir/.", "dir/..", "two/../a.txt", "./b.md", "none/a.txt",
        String(repeating: "n", count: 256), String(repeating: "é", count: 125) + ".txt",
    ]
    private static let attributes = ["user.color", "user.Color", "user.α"]
    /// Root may do everything whatever the mode. Others need modes with which everything can still be compared.
    private static let modes: [UInt32] =
        getuid() == 0 ? [0o644, 0o600, 0o400, 0o755, 0o640, 0o200] : [0o755, 0o700, 0o744, 0o711, 0o750]

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func one<Value>(_ values: [Value]) -> Value { values[number(0..<values.count)] }
    private mutating func isSo(oneIn count: Int) -> Bool { number(0..<count) == 0 }

    private mutating func place() -> Place {
        if isSo(oneIn: 40) { return Place(one(Self.oddPaths)) }
        if isSo(oneIn: 8) { return Place(one(Self.names), folder: number(0..<Session.folderCount)) }
        let folder = one(Self.folders)
        return Place(folder.isEmpty ? one(Self.names) : folder + "/" + one(Self.names))
    }

    private mutating func folder() -> Place {
        if isSo(oneIn: 10) { return Place(isSo(oneIn: 2) ? "" : "..", folder: number(0..<Session.folderCount)) }
        return isSo(oneIn: 8) ? place() : Place(one(Self.folders))
    }

    private mutating func slot() -> Int { number(0..<Session.fileCount) }
    private mutating func mapping() -> Int { number(0..<Session.mappingCount) }
    private mutating func size() -> Int { one([0, 1, 3, 100, 4096, 5000, 9000]) }

    private mutating func content() -> SampleBytes {
        SampleBytes(count: one([0, 1, 3, 50, 700, 5000]), seed: UInt8(number(0..<256)))
    }

    private mutating func flags() -> Int32 {
        let access = one([O_RDONLY, O_WRONLY, O_RDWR, O_RDWR])
        let extra: [Int32] = [
            0, 0, O_CREAT, O_CREAT, O_CREAT | O_EXCL, O_CREAT | O_TRUNC, O_TRUNC, O_CREAT | O_APPEND, O_APPEND,
            O_NOFOLLOW, O_DIRECTORY, O_CREAT | O_NOFOLLOW,
        ]
        return access | one(extra)
    }

    mutating func next() -> Operation {
        switch number(0..<100) {
        case 0..<32: name()
        case 32..<70: handle()
        case 70..<78: mapped()
        case 78..<89: metadata()
        case 89..<98: folderHandle()
        default: ownOperation()
        }
    }

    private mutating func name() -> Operation {
        switch number(0..<40) {
        case 0..<14: .open(slot: slot(), place: place(), flags: flags(), mode: one(Self.modes))
        case 14..<27:
            .rename(
                source: isSo(oneIn: 5) ? folder() : place(), target: isSo(oneIn: 5) ? folder() : place(),
                flags: one([0, 0, 0, 0, RenameFlags.noReplace.rawValue, RenameFlags.exchange.rawValue]))
        case 27..<32: .remove(place: place())
        case 32..<36: .makeFolder(place: isSo(oneIn: 6) ? place() : folder(), mode: one([0o755, 0o700]))
        // Not the root: then there would be nothing to compare.
        case 36..<37: .removeFolder(place: Place(one(Self.folders.filter { !$0.isEmpty })))
        case 37..<39:
            .makeLink(target: one(["a.txt", "two/.dot/../b.md", "dir", "none", "two/a.txt", "."]), place: place())
        default: .truncate(place: place(), size: size())
        }
    }

    private mutating func handle() -> Operation {
        let offset = isSo(oneIn: 3) ? nil : number(0..<9000)
        return switch number(0..<32) {
        case 0..<4: .close(slot: slot())
        case 4..<13: .write(slot: slot(), offset: offset, content: content())
        case 13..<18: .read(slot: slot(), offset: offset, count: size())
        case 18..<20: .seek(slot: slot(), offset: number(0..<5000), whence: one([SEEK_SET, SEEK_CUR, SEEK_END]))
        case 20..<23: .resize(slot: slot(), size: size())
        case 23..<24:
            .allocate(
                slot: slot(), mode: one([0, AllocationMode.keepSize.rawValue, 3]), offset: number(0..<9000),
                count: number(0..<9000))
        case 24..<26:
            .copyRange(
                source: slot(), target: slot(), sourceOffset: number(0..<4000), targetOffset: number(0..<4000),
                count: size())
        case 26..<27: isSo(oneIn: 4) ? .synchronize(slot: slot()) : .close(slot: slot())
        case 27..<28: .setModeOfHandle(slot: slot(), mode: one(Self.modes))
        case 28..<30: .lock(slot: slot(), operation: one([LOCK_EX, LOCK_SH, LOCK_UN]) | LOCK_NB)
        default:
            .lockRange(
                slot: slot(), type: one([Int32(F_RDLCK), Int32(F_WRLCK), Int32(F_UNLCK)]), start: number(0..<20),
                count: number(1..<20))
        }
    }

    private mutating func mapped() -> Operation {
        switch number(0..<6) {
        case 0..<2: .map(mapping: mapping(), slot: slot())
        case 2..<4: .writeMapped(mapping: mapping(), offset: number(0..<9000), content: content())
        case 4: .readMapped(mapping: mapping(), offset: number(0..<9000), count: size())
        default: .unmap(mapping: mapping())
        }
    }

    private mutating func metadata() -> Operation {
        let attribute = one(Self.attributes)
        let value = SampleBytes(count: one([0, 1, 20, 300]), seed: UInt8(number(0..<256)))
        return switch number(0..<12) {
        case 0..<2: .setMode(place: place(), mode: one(Self.modes))
        case 2..<5:
            .setModified(place: isSo(oneIn: 3) ? folder() : place(), seconds: number(1_000_000_003..<1_400_000_000))
        case 5: .access(place: place(), mode: one([F_OK, R_OK, W_OK, X_OK]))
        case 6..<9:
            .setAttribute(place: place(), name: attribute, value: value, condition: one([0, 0, 0, 1, 2]))
        case 9: .setAttributeOfHandle(slot: slot(), name: attribute, value: value)
        default: .removeAttribute(place: place(), name: attribute)
        }
    }

    private mutating func folderHandle() -> Operation {
        switch number(0..<8) {
        case 0..<3: .openFolder(slot: number(0..<Session.folderCount), place: folder())
        case 3: .closeFolder(slot: number(0..<Session.folderCount))
        case 4..<5: .beginListing(place: folder())
        default: .continueListing(count: number(1..<4))
        }
    }

    private mutating func ownOperation() -> Operation {
        switch number(0..<32) {
        case 0..<14: .setDisplayName(place: place(), name: one(["Plan", "b", "日本", "Shopping"]))
        case 14..<28: .moveByFilename(place: place(), folder: one(Self.folders))
        case 28..<30: .migrate
        default: undo()
        }
    }

    private mutating func undo() -> Operation {
        let commands = (0..<number(1..<4)).map { _ in
            newNames += 1
            return Command(
                kind: one(Command.Kind.allCases), subject: number(0..<100), folder: number(0..<100),
                name: "n\(newNames)" + one(["", ".txt"]))
        }
        return .undo(commands: commands, undone: number(1..<4), redone: number(0..<3))
    }
}
