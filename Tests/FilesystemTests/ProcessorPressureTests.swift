@testable import Filesystem
import Testing

/// Whether the machine is busy, by what the kernel adds up.
struct ProcessorPressureTests {
    @Test func `the machine is busy while some task waits for a quarter of the time`() {
        var pressure = ProcessorPressure()
        var (now, waited): (Int64, Int64) = (0, 1_000_000)
        let first = pressure.isBusy(waited: waited, now: now)
        #expect(first == nil)
        for (milliseconds, isBusy) in [(0, false), (12, false), (13, true), (50, true), (1, false)] as [(Int64, Bool)] {
            now += ProcessorPressure.pause
            waited += milliseconds * 1000
            let found = pressure.isBusy(waited: waited, now: now)
            #expect(found == isBusy, "\(milliseconds)")
        }
    }

    @Test func `it is looked at now and then only`() {
        var pressure = ProcessorPressure()
        let times = [0, 1, ProcessorPressure.pause - 1, ProcessorPressure.pause, ProcessorPressure.pause + 1]
        let looks = times.map { pressure.isDue(now: $0) }
        #expect(looks == [true, false, false, true, false])
    }

    @Test func `where the kernel never tells, it is asked once; a look that fails is made again`() {
        var silent = ProcessorPressure()
        let first = (silent.isDue(now: 0), silent.isBusy(waited: nil, now: 0))
        #expect(first == (true, nil))
        let isDueAgain = silent.isDue(now: 1000 * ProcessorPressure.pause)
        #expect(!isDueAgain)
        var pressure = ProcessorPressure()
        _ = pressure.isBusy(waited: 0, now: 0)
        let failed = pressure.isBusy(waited: nil, now: 1)
        #expect(failed == nil)
        let isDue = pressure.isDue(now: ProcessorPressure.pause)
        #expect(isDue)
        let found = pressure.isBusy(waited: 0, now: ProcessorPressure.pause)
        #expect(found == false)
    }

    @Test func `the line of the kernel is read`() {
        let text =
            "some avg10=2.23 avg60=7.51 avg300=20.64 total=10434404361\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
        #expect(ProcessorPressure.total(text) == 10_434_404_361)
        #expect(ProcessorPressure.total("") == nil)
        #expect(ProcessorPressure.total("some total=x") == nil)
        #expect(ProcessorPressure.total("full total=1") == nil)
    }
}
