@testable import Filesystem
import Testing

/// Whether the machine is busy, by what the kernel adds up.
struct ProcessorPressureTests {
    private final class Kernel {
        /// Microseconds.
        var waited: Int64? = 1_000_000
        var looks = 0
    }

    private let kernel = Kernel()

    private func pressure() -> ProcessorPressure {
        ProcessorPressure { [kernel] in
            kernel.looks += 1
            return kernel.waited
        }
    }

    @Test func `the machine is busy while some task waits for a quarter of the time`() {
        var pressure = pressure()
        #expect(pressure.isBusy(now: 0) == nil)
        var now: Int64 = 0
        for (milliseconds, isBusy) in [(0, false), (12, false), (13, true), (50, true), (1, false)] as [(Int64, Bool)] {
            now += ProcessorPressure.pause
            kernel.waited! += milliseconds * 1000
            #expect(pressure.isBusy(now: now) == isBusy, "\(milliseconds)")
        }
    }

    @Test func `it is looked at now and then only`() {
        var pressure = pressure()
        for now in 0..<100 { _ = pressure.isBusy(now: Int64(now)) }
        #expect(kernel.looks == 1)
        _ = pressure.isBusy(now: ProcessorPressure.pause)
        #expect(kernel.looks == 2)
    }

    @Test func `where the kernel does not tell, it is asked once`() {
        kernel.waited = nil
        var pressure = pressure()
        for look in 0..<5 { #expect(pressure.isBusy(now: Int64(look) * ProcessorPressure.pause) == nil) }
        #expect(kernel.looks == 1)
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
