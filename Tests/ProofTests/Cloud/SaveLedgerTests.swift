import Testing

/// What the ledger takes for lost.
struct SaveLedgerTests {
    private let ledger = SaveLedger()
    private let first = Save(token: "Laptop-1", base: nil, length: 1)
    private let second = Save(token: "Laptop-2", base: "Laptop-1", length: 1)

    private func saveFirst() {
        ledger.begin(first, replacing: .inPlace)
        ledger.succeed(first)
    }

    @Test func `a content that nothing replaced must be there`() {
        saveFirst()
        #expect(ledger.lost(visible: []) == [first])
        #expect(ledger.lost(visible: [first]).isEmpty)
        #expect(ledger.history(of: first).contains("Laptop-1 is done"))
    }

    @Test(arguments: [SaveLedger.Replacement.atOnce, .inPlace])
    func `a save that failed excuses the former content if it may have replaced it`(
        replacement: SaveLedger.Replacement
    ) {
        saveFirst()
        ledger.begin(second, replacing: replacement)
        #expect(ledger.lost(visible: []) == (replacement == .atOnce ? [first] : []))
        #expect(ledger.lost(visible: [second]).isEmpty)
    }

    @Test func `a rename that failed excuses the former content if its own was read`() {
        saveFirst()
        ledger.begin(second, replacing: .atOnce)
        ledger.begin(Save(token: "Phone-1", base: "Laptop-2", length: 1), replacing: .atOnce)
        #expect(ledger.lost(visible: []).isEmpty)
    }

    @Test func `a device without a connection removes only what it had`() {
        saveFirst()
        let cut = ContinuousClock.now
        ledger.begin(second, replacing: .atOnce)
        ledger.succeed(second)
        ledger.remove(first, seen: [first], on: "Phone", isolatedSince: cut) {}
        #expect(ledger.lost(visible: []) == [second])
    }
}
