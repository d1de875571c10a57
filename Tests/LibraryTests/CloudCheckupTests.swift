@testable import Library
import Testing

/// What `docfs check` leaves to repair, as `Documents/.state` tells it.
struct CloudCheckupTests {
    private func damaged(_ missing: [String]) -> CheckupReport {
        var report = CheckupReport()
        report.missing = missing
        return report
    }

    private func run(_ checkup: CloudCheckup, _ end: CloudCheckup.Stage) {
        #expect(checkup.request(.check))
        #expect(checkup.begin() == .check)
        checkup.end(end)
    }

    @Test func `the findings stay until a check that could be made says other`() {
        let checkup = CloudCheckup {
        } ended: {
        }
        #expect(checkup.findings == nil)
        run(checkup, .done(damaged(["a", "b"])))
        #expect(checkup.findings == 2)
        run(checkup, .failed("the disk is gone"))
        #expect(checkup.findings == 2)
        #expect(checkup.request(.repair))
        #expect(checkup.findings == 2)
        _ = checkup.begin()
        checkup.end(.done(CheckupReport()))
        #expect(checkup.findings == nil)
    }

    @Test func `a cloud that could not be looked through is no finding`() {
        let checkup = CloudCheckup {
        } ended: {
        }
        var report = damaged([])
        report.fault = "the cloud could not be checked"
        report.isWhole = false
        report.isChecked = false
        run(checkup, .done(report))
        #expect(!report.isGood && checkup.findings == nil)
        report.isChecked = true
        run(checkup, .done(report))
        #expect(checkup.findings == 1)
    }
}
