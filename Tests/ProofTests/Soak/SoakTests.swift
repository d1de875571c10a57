import Dispatch
import MountSupport
import SystemPackage
import Testing

/// A mount that works for long holds as much of the machine at the end as at the beginning.
@Suite(.mounting, .timeLimit(.minutes(240)))
struct SoakTests {
    private static let samples = 20
    /// The allocator keeps what is free in larger pieces with time.
    private static let slack: Int64 = 16 << 20
    private static let fewDescriptors = 8
    private static let fewThreads = 4

    @Test func `operations without end leave memory, descriptors and threads as they are`() async throws {
        let amount = Amount.attacks("SOAK", default: 20_000)
        let share = max(1, amount / Self.samples)
        try await withMountedDevices([("Laptop", .displayNames)], limit: .seconds(4 * 3600)) { devices in
            let device = devices[0]
            var work = SoakWork(device.documents, seed: Amount.seed)
            var uses: [ProcessUse] = []
            for _ in 0..<Self.samples {
                let begun = work
                work = try await onThread {
                    Result {
                        var work = begun
                        for _ in 0..<share { try work.step() }
                        return work
                    }
                }.get()
                try await eventually(within: .seconds(1200)) { try device.treeState()["cloud.pending"] == "0" }
                uses.append(try ProcessUse(of: device))
                print("soak: \(share * uses.count) operations: \(uses.last!)")
            }
            let check = try await device.docfs("check", device.mountpoint.string)
            #expect(check.exitStatus == 0, "\(check.standardOutput)")
            // In the first half SQLite's cache of the catalog fills (64 MiB), which grows with the history of the documents.
            let quarter = Self.samples / 4
            let (early, late) = (Array(uses[2 * quarter..<3 * quarter]), Array(uses.suffix(quarter)))
            let growths = [
                late.median(\.memory) - early.median(\.memory) < Self.slack
                    ? nil : "memory: \(uses.map { $0.memory >> 20 }) MiB",
                late.median(\.descriptors) - early.median(\.descriptors) <= Self.fewDescriptors
                    ? nil : "descriptors: \(uses.map(\.descriptors))",
                late.median(\.threads) - early.median(\.threads) <= Self.fewThreads
                    ? nil : "threads: \(uses.map(\.threads))",
            ].compactMap(\.self)
            #expect(growths.isEmpty, "\(growths)")
            #expect(work.refused < share * Self.samples / 2)
            Amount.report(
                "SOAK", attacks: share * Self.samples, lost: growths.count,
                "operations on one mount; memory \(early.median(\.memory) >> 20) MiB, then \(late.median(\.memory) >> 20) MiB; descriptors \(early.median(\.descriptors)), then \(late.median(\.descriptors))"
            )
        }
    }
}
