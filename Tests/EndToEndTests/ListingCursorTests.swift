import Glibc
import MountSupport
import SystemPackage
import Testing

/// readdir, telldir, seekdir and rewinddir while a folder changes.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ListingCursorTests {
    /// Reads on, and jumps back and forth as often as the names allow, until the end.
    private func readOn(_ directory: OpenDirectory, from first: [String]) throws -> [String] {
        var names = first
        var positions: [(Int, count: Int)] = []
        while true {
            positions.append((directory.position, names.count))
            guard let entry = try directory.next() else { return names }
            names.append(entry.name)
            guard names.count.isMultiple(of: 97), let (position, count) = positions.dropLast(50).last else {
                continue
            }
            // Back by some names, which must be the same again.
            directory.position = position
            for name in names[count...] { #expect(try directory.next()?.name == name) }
        }
    }

    @Test func `who stays is listed once, while others are reordered, made, renamed and removed`() async throws {
        try await withDevice(.displayNames) { device in
            let folder = device.local / "Many"
            try folder.makeFolder()
            try await device.shell(
                """
                cd local/Many
                seq -f 'kept %g.txt' 800 | xargs -d '\\n' touch
                seq -f 'gone %g.txt' 100 | xargs -d '\\n' touch
                seq -f 'named %g.txt' 30 | xargs -d '\\n' touch
                """)
            let directory = try OpenDirectory(folder)
            var seen: [String] = []
            while seen.count < 300, let entry = try directory.next() { seen.append(entry.name) }
            try await device.shell(
                """
                cd local/Many
                tac .order > ../../../order && cat ../../../order > .order
                rm gone*
                seq -f 'new %g.txt' 100 | xargs -d '\\n' touch
                for number in $(seq 30); do mv "named $number.txt" "other $number.txt"; done
                "$BINARY" reorder 'kept 600.txt' --to 1
                "$BINARY" sort . size
                """, environment: ["BINARY": DocfsBinary.path.string])
            seen = try readOn(directory, from: seen)
            let kept = seen.filter { $0.hasPrefix("kept") }
            #expect(kept == (1...800).map { "kept \($0).txt" })
            #expect(Set(seen).count == seen.count)
            // From the beginning, the folder is listed as it is now.
            try await device.shell(
                "cd local/Many && \"$BINARY\" sort . manual", environment: ["BINARY": DocfsBinary.path.string])
            directory.position = 0
            let again = try readOn(directory, from: [])
            #expect(again.count == 800 + 100 + 30)
            #expect(again.first == "kept 600.txt")
            #expect(Set(again).count == again.count)
            #expect(try folder.listing() == again)
        }
    }

    @Test(.tags(.long)) func `100,000 entries are listed once each while the folder changes`() async throws {
        try await withUnmountedDevice { device in
            // Files that were put into the store: to make so many through the mount takes longer.
            try await device.mount()
            try await device.unmount()
            try (device.storedLocal / ".many").makeFolder()
            try await runShell("seq -f '%06g' 100000 | xargs touch", in: device.storedLocal / ".many")
            try await device.mount()
            let folder = device.local / ".many"
            let directory = try OpenDirectory(folder)
            var seen: [String] = []
            while seen.count < 50_000, let entry = try directory.next() { seen.append(entry.name) }
            try await device.shell(
                "cd local/.many && seq -f '%06g' 1000 1000 100000 | xargs rm && touch new && echo 099999 > .order")
            seen = try readOn(directory, from: seen)
            let stayed = Set(seen).subtracting(["new"]).filter { Int($0).map { !$0.isMultiple(of: 1000) } ?? false }
            #expect(stayed.count == 99_900)
            #expect(Set(seen).count == seen.count)
            #expect(try folder.listing().first == "099999")
        }
    }
}
