/// How far some work is.
struct Progress: Equatable {
    enum Unit { case percent, documents, bytes }

    var done: Int64
    var total: Int64
    var unit: Unit

    static func percent(_ percent: Int) -> Progress { Progress(done: Int64(percent), total: 100, unit: .percent) }

    var fraction: Double { total > 0 ? min(max(0, Double(done) / Double(total)), 1) : 1 }
}

/// Estimates rate and remaining time from how far the work was at which moment.
struct ProgressEstimate {
    /// Older moments no longer count.
    private static let window = 10.0
    private var moments: [(time: Double, done: Int64)] = []

    /// - Parameter time: in seconds, of a clock that only goes forward.
    mutating func add(_ progress: Progress, at time: Double) {
        // Work that grew backwards began anew.
        if let last = moments.last, progress.done < last.done { moments = [] }
        moments.append((time, progress.done))
        while moments.count > 2, moments[1].time <= time - Self.window { moments.removeFirst() }
    }

    /// Units a second; nil before anything can be said.
    var rate: Double? {
        guard let first = moments.first, let last = moments.last, last.time - first.time >= 1, last.done > first.done
        else { return nil }
        return Double(last.done - first.done) / (last.time - first.time)
    }

    func secondsLeft(_ progress: Progress) -> Double? {
        rate.map { Double(max(0, progress.total - progress.done)) / $0 }
    }
}

/// Renders progress as one line.
enum ProgressLine {
    static let barWidth = 30

    /// `title [#####.....] 42 %, 1.2 MB/s, 8 s left`, cut to the width.
    static func bar(_ title: String, _ progress: Progress, _ estimate: ProgressEstimate, width: Int) -> String {
        let filled = Int(progress.fraction * Double(barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let line = "\(title.printable) [\(bar)] \(words(progress, estimate))"
        // The last column stays free: a full line would wrap.
        return line.cut(toColumns: max(1, width - 1))
    }

    /// `title: 42 %, 8 s left`, for a log.
    static func plain(_ title: String, _ progress: Progress, _ estimate: ProgressEstimate) -> String {
        "\(title.printable): \(words(progress, estimate))"
    }

    private static func words(_ progress: Progress, _ estimate: ProgressEstimate) -> String {
        let amount =
            switch progress.unit {
            case .percent: "\(Int(progress.fraction * 100)) %"
            case .documents: "\(progress.done) of \(progress.total)"
            case .bytes: "\(HumanText.size(progress.done)) of \(HumanText.size(progress.total))"
            }
        var parts = [amount]
        if progress.unit == .bytes, let rate = estimate.rate { parts.append("\(HumanText.size(Int64(rate)))/s") }
        if let left = estimate.secondsLeft(progress), progress.fraction < 1 {
            parts.append("\(HumanText.duration(seconds: left)) left")
        }
        return parts.joined(separator: ", ")
    }
}
