import MountSupport
import TestSupport
import Testing

extension PowerTests {
    /// The longest time from the acknowledgement to the loss, in microseconds: the move takes about as long.
    private static let longestDelay: Int64 = 150_000

    @Test func `a loss of power while everything moves to the preferred location loses nothing`() async throws {
        let rounds = max(2, Amount.attacks("POWER", default: 200) / 10)
        var random = SeededGenerator(seed: Amount.seed)
        var losses: [String] = []
        try await withDiskImage(size: "256M", .displayNames) { device, disk in
            let move = try await PreferredMove(on: device)
            for round in 0..<rounds {
                try await disk.synchronize()
                #expect(try move.prefer("cloud"))
                let isSynced = round.isMultiple(of: 2)
                if isSynced { try await disk.synchronize() }
                try await Task.sleep(for: .microseconds(Int64.random(in: 0..<Self.longestDelay, using: &random)))
                try await disk.losePower()
                try await device.mount()
                if let loss = try await move.loss(wanted: isSynced ? "cloud" : nil) {
                    losses.append("round \(round): \(loss)")
                }
                try await move.takeBack()
            }
        }
        #expect(losses.isEmpty, "\(losses.joined(separator: "\n"))")
        Amount.report("POWER", attacks: rounds, lost: losses.count, "while everything moves to the preferred location")
    }
}
