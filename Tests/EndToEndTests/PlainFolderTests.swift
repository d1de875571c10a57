import MountSupport
import SystemPackage
import TestSupport
import Testing

/// A random sequence of operations gives the same results in docfs as in a plain folder, also after docfs was killed.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct PlainFolderTests {
    /// Steps that meet each other often: few names, a few folders, of all kinds that docfs treats in their own way.
    private struct Chance {
        var random: SeededGenerator
        private static let names = ["a.txt", "b.md", "c", "d.tmp", ".hid", "e~", "f.txt", "Plan 1.txt", "g.part"]
        /// Bytes of which contents are pieces: to make each anew takes milliseconds in a debug build.
        private static let noise = {
            var random = SeededGenerator(seed: 1)
            return (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        }()
        private static let folders = ["", "dir1/", "dir2/", "dir1/in/", "dir2/.dot/"]

        mutating func path() -> String {
            Self.folders.randomElement(using: &random)! + Self.names.randomElement(using: &random)!
        }

        private mutating func folder() -> String { Self.folders.dropFirst().randomElement(using: &random)! }

        mutating func bytes() -> [UInt8] {
            let count = [0, 3, 50, 5000].randomElement(using: &random)!
            let start = Int.random(in: 0...Self.noise.count - count, using: &random)
            return Array(Self.noise[start..<start + count])
        }

        mutating func step() -> FileStep {
            let options: [FileDescriptor.OpenOptions] = [
                .create, [.create, .exclusiveCreate], [.create, .truncate], .truncate, [], [.create, .append],
            ]
            let modes: [CModeT] = [0o644, 0o600, 0o400, 0o755, 0o640]
            func mode(_ random: inout SeededGenerator) -> FilePermissions {
                FilePermissions(rawValue: modes.randomElement(using: &random)!)
            }
            switch Int.random(in: 0..<90, using: &random) {
            case 0..<20: return .write(path(), options.randomElement(using: &random)!, mode(&random), bytes())
            case 20..<34: return .rename(path(), to: path())
            case 34..<43: return .remove(path())
            case 43..<49: return .setPermissions(path(), mode(&random))
            case 49..<55:
                return .setTimes(path(), seconds: Int.random(in: 1_000_000_000..<1_400_000_000, using: &random))
            case 55..<60: return .truncate(path(), [0, 1, 100, 7000].randomElement(using: &random)!)
            case 60..<65: return .makeFolder(folder())
            case 65..<67: return .removeFolder(folder())
            case 67..<73: return .read(path())
            case 73..<75: return .list(folder())
            default: return .status(path())
            }
        }
    }

    /// A file that is held open in both places.
    private struct Held {
        let here: OpenFile
        let there: OpenFile

        func write(_ bytes: [UInt8], at offset: Int64) throws {
            for file in [here, there] { try file.descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
        }
    }

    @Test(.tags(.long), arguments: ["local", "cloud"], [1, 2] as [UInt64])
    func `programs see what a plain folder would show them`(container: String, seed: UInt64) async throws {
        try await withDevice(.displayNames) { device in
            let (mounted, plain) = (device.documents / container, device.folder / "plain")
            try plain.makeFolder()
            var chance = Chance(random: SeededGenerator(seed: seed))
            var held: [Held] = []
            for number in 1...4000 {
                let step = chance.step()
                let (seen, expected) = (step.carryOut(in: mounted), step.carryOut(in: plain))
                try #require(seen == expected, "step \(number), \(step)")
                if number.isMultiple(of: 17) {
                    let path = chance.path()
                    if let there = try? (plain / path).open(.readWrite) {
                        held.append(Held(here: try (mounted / path).open(.readWrite), there: there))
                    }
                    if held.count > 4 { held.removeFirst() }
                }
                if number.isMultiple(of: 11), let file = held.randomElement(using: &chance.random) {
                    try file.write(chance.bytes(), at: Int64.random(in: 0..<4000, using: &chance.random))
                    #expect(try file.here.status() == file.there.status(), "step \(number)")
                }
                if number.isMultiple(of: 1000) {
                    held = []
                    if number < 3000 { try await device.crash() } else { try await device.unmount() }
                    try await device.mount()
                    let (seen, expected) = (try mounted.tree(), try plain.tree())
                    let differences = Set(seen.keys).union(expected.keys).sorted().filter { seen[$0] != expected[$0] }
                        .map { "\($0): \(seen[$0] ?? "missing") instead of \(expected[$0] ?? "missing")" }
                    #expect(differences.isEmpty, "step \(number)")
                }
            }
        }
    }
}
