/// Delta debugging: removes steps as long as what is left still fails.
///
/// - Returns: steps of which none can be left out, unless `limit` attempts were not enough to find that out.
func shrunk<Step>(_ steps: [Step], limit: Int = 2000, fails: ([Step]) throws -> Bool) rethrows -> [Step] {
    var steps = steps
    var attempts = 0
    var size = max(1, steps.count / 2)
    while true {
        var start = 0
        var isShorter = false
        while start < steps.count {
            guard attempts < limit else { return steps }
            attempts += 1
            var rest = steps
            rest.removeSubrange(start..<min(start + size, steps.count))
            if try fails(rest) {
                steps = rest
                isShorter = true
            } else {
                start += size
            }
        }
        if size == 1, !isShorter { return steps }
        size = max(1, size / 2)
    }
}
