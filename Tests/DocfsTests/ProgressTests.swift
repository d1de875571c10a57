import Testing

@testable import docfs

struct ProgressTests {
    @Test func `a bar says how much is done, how fast it goes, and how long it takes`() {
        var estimate = ProgressEstimate()
        let title = "downloading Plan"
        let start = Progress(done: 0, total: 4 << 20, unit: .bytes)
        estimate.add(start, at: 100)
        #expect(
            ProgressLine.bar(title, start, estimate, width: 120)
                == "downloading Plan ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 B of 4.0 MB")
        let half = Progress(done: 2 << 20, total: 4 << 20, unit: .bytes)
        estimate.add(half, at: 102)
        #expect(
            ProgressLine.bar(title, half, estimate, width: 120)
                == "downloading Plan ███████████████░░░░░░░░░░░░░░░ 2.0 MB of 4.0 MB, 1.0 MB/s, 2 s left")
        #expect(ProgressLine.plain(title, half, estimate) == "downloading Plan: 2.0 MB of 4.0 MB, 1.0 MB/s, 2 s left")
    }

    @Test func `a bar fits the terminal, and its numbers stay on a narrow one`() {
        let estimate = ProgressEstimate()
        for width in 1...100 {
            let line = ProgressLine.bar("買い物", .percent(42), estimate, width: width)
            #expect(line.columns < max(2, width))
            #expect(width < 5 || line.hasSuffix("42 %"))
        }
        #expect(ProgressLine.bar("買い物", .percent(42), estimate, width: 20) == "買い物 ██░░░ 42 %")
        #expect(ProgressLine.bar("買い物", .percent(42), estimate, width: 14) == "買い物 42 %")
        #expect(ProgressLine.bar("買い物", .percent(42), estimate, width: 11) == "買い… 42 %")
    }

    @Test func `a bar is coloured where colour is wanted`() {
        let line = ProgressLine.bar("checking", .percent(50), ProgressEstimate(), width: 20, hasColor: true)
        #expect(line == "checking \u{1b}[32m██\u{1b}[0m\u{1b}[2m░░░\u{1b}[0m 50 %")
    }

    @Test func `the rate is that of the last seconds, and begins anew with the work`() {
        var estimate = ProgressEstimate()
        for second in 0...20 {
            let done = second <= 10 ? Int64(second) : 10 + Int64(second - 10) * 100
            estimate.add(Progress(done: done, total: 2000, unit: .documents), at: Double(second))
        }
        #expect(estimate.rate == 100)
        estimate.add(Progress(done: 0, total: 10, unit: .documents), at: 21)
        #expect(estimate.rate == nil)
    }

    @Test func `work without an end to see is done`() {
        #expect(Progress(done: 0, total: 0, unit: .documents).fraction == 1)
        #expect(Progress.percent(130).fraction == 1)
    }
}
