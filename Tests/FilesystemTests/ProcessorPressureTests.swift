@testable import Filesystem
import Testing

/// Whether the machine is busy, by what the kernel adds up.
struct ProcessorPressureTests {
    @Test func `the machine is busy while some task waits for a quarter of the time`() {
        var pressure = ProcessorPressure()
        var (now, waited) = (ContinuousClock.now, Duration.seconds(1))
        let first = pressure.isBusy(waited: waited, now: now)
        #expect(first == nil)
        for (milliseconds, isBusy) in [(0, false), (12, false), (13, true), (50, true), (1, false)] as [(Int, Bool)] {
            now += ProcessorPressure.pause
            waited += .milliseconds(milliseconds)
            let found = pressure.isBusy(waited: waited, now: now)
            #expect(found == isBusy, "\(milliseconds)")
        }
    }

    @Test func `it is looked at now and then only`() {
        var pressure = ProcessorPressure()
        let (pause, moment, start) = (ProcessorPressure.pause, Duration.nanoseconds(1), ContinuousClock.now)
        let looks = [.zero, moment, pause - moment, pause, pause + moment].map { pressure.isDue(now: start + $0) }
        #expect(looks == [true, false, false, true, false])
    }

    @Test func `where the kernel never tells, it is asked once; a look that fails is made again`() {
        let start = ContinuousClock.now
        var silent = ProcessorPressure()
        let first = (silent.isDue(now: start), silent.isBusy(waited: nil, now: start))
        #expect(first == (true, nil))
        let isDueAgain = silent.isDue(now: start + ProcessorPressure.pause * 1000)
        #expect(!isDueAgain)
        var pressure = ProcessorPressure()
        _ = pressure.isBusy(waited: .zero, now: start)
        let failed = pressure.isBusy(waited: nil, now: start + .nanoseconds(1))
        #expect(failed == nil)
        let isDue = pressure.isDue(now: start + ProcessorPressure.pause)
        #expect(isDue)
        let found = pressure.isBusy(waited: .zero, now: start + ProcessorPressure.pause)
        #expect(found == false)
    }

    @Test func `the line of the kernel is read`() {
        let text =
            "some avg10=2.23 avg60=7.51 avg300=20.64 total=10434404361\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
        #expect(ProcessorPressure.total(text) == .microseconds(10_434_404_361))
        #expect(ProcessorPressure.total("") == nil)
        #expect(ProcessorPressure.total("some total=x") == nil)
        #expect(ProcessorPressure.total("full total=1") == nil)
    }
}
