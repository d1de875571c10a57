import CLinux
import Glibc

/// Shows progress on standard error: a bar that is drawn again and again on a terminal; elsewhere a line now and then, and none for
/// work that is soon done.
struct ProgressDisplay {
    private static let firstLineAfter = 10.0
    private static let secondsBetweenLines = 30.0

    var title: String
    private let facts: TerminalFacts
    private var estimate = ProgressEstimate()
    private var nextLine: Double
    private var isDrawn = false

    init(_ title: String) {
        self.title = title
        facts = .of(STDERR_FILENO)
        nextLine = Self.now() + Self.firstLineAfter
    }

    /// When the bar is to be drawn again, also if nothing was heard: a percent of a large content takes minutes on a slow line, and bytes come
    /// all the time. Nil where no bar is drawn.
    var nextDraw: ContinuousClock.Instant? { facts.redrawsLines ? .now + .seconds(1) : nil }

    mutating func show(_ progress: Progress) {
        let now = Self.now()
        estimate.add(progress, at: now)
        if facts.redrawsLines {
            Self.write(
                "\r\(ProgressLine.bar(title, progress, estimate, width: facts.width, hasColor: facts.hasColor))\u{1b}[K"
            )
            isDrawn = true
        } else if now >= nextLine {
            nextLine = now + Self.secondsBetweenLines
            Self.write(ProgressLine.plain(title, progress, estimate) + "\n")
        }
    }

    /// Prints a line that stays.
    mutating func say(_ line: String) {
        clear()
        Self.write(line.printable + "\n")
    }

    mutating func clear() {
        if isDrawn { Self.write("\r\u{1b}[K") }
        isDrawn = false
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A display that nobody can see is no failure of the work.
    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
