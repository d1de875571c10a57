import Testing
@testable import docfs

/// `--timeout` of `docfs mount` and `docfs wait`.
struct TimeoutTests {
    @Test(arguments: [0, 0.25, 20, 86_400]) func `so many seconds`(seconds: Double) {
        #expect(Duration(timeout: seconds) == .seconds(seconds))
    }

    @Test(arguments: [1e10, 9.3e18, 1.7e20, 1e300, .greatestFiniteMagnitude])
    func `a time that is longer than any is one that can be waited for`(seconds: Double) {
        let timeout = Duration(timeout: seconds)
        #expect(timeout > .seconds(86_400 * 365))
        #expect(ContinuousClock.now + timeout > .now)
    }
}
