/// How far some work is.
struct Progress: Equatable {
    enum Unit { case percent, documents, entries, bytes }

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
    private var unit: Progress.Unit?
    private var moments: [(time: Double, done: Int64)] = []

    /// - Parameter time: in seconds, of a clock that only goes forward.
    mutating func add(_ progress: Progress, at time: Double) {
        // Work that grew backwards, or is counted in something else now, began anew.
        if let last = moments.last, progress.done < last.done || progress.unit != unit { moments = [] }
        unit = progress.unit
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
    private static let barWidths = 5...30
    /// The text after the bar is rarely longer. The bar keeps its width while the words change.
    private static let usualWords = 44

    /// `title █████░░░░░ 42 %, 1.2 MB/s, 8 s left`. On a narrow terminal first the bar gives way, then the title.
    static func bar(
        _ title: String, _ progress: Progress, _ estimate: ProgressEstimate, width: Int, hasColor: Bool = false
    ) -> String {
        // The last column stays free: a full line would wrap.
        let room = max(1, width - 1)
        let title = title.printable
        let words = words(progress, estimate).cut(toColumns: room)
        let wanted = room - title.columns - usualWords - 2
        let most = min(
            min(max(wanted, barWidths.lowerBound), barWidths.upperBound), room - title.columns - words.columns - 2)
        guard most >= barWidths.lowerBound else {
            let left = room - words.columns - 1
            return left > 1 ? "\(title.cut(toColumns: left)) \(words)" : words
        }
        let filled = Int(progress.fraction * Double(most))
        let done = StyledText(String(repeating: "█", count: filled), .green).rendered(hasColor: hasColor)
        let rest = StyledText(String(repeating: "░", count: most - filled), .faint).rendered(hasColor: hasColor)
        return "\(title) \(done)\(rest) \(words)"
    }

    /// `title: 42 %, 8 s left`, for a log.
    static func plain(_ title: String, _ progress: Progress, _ estimate: ProgressEstimate) -> String {
        "\(title.printable): \(words(progress, estimate))"
    }

    private static func words(_ progress: Progress, _ estimate: ProgressEstimate) -> String {
        let amount =
            switch progress.unit {
            case .percent: "\(Int(progress.fraction * 100)) %"
            case .documents, .entries: "\(progress.done) of \(progress.total)"
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
