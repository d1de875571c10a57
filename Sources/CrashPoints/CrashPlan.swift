#if DEBUG
    import Glibc
    import Synchronization

    /// Kills the process at the point that a test has chosen.
    ///
    /// `DOCFS_CRASH_PLAN` names a file. When the file appears, its number says how many more points are passed; at the next one the process
    /// writes the point's name to the same path with `.reached`, and gets SIGKILL.
    final class CrashPlan: Sendable {
        static let current = getenv("DOCFS_CRASH_PLAN").map { CrashPlan(path: String(cString: $0)) }

        private let path: String
        /// nil until the file has appeared.
        private let remaining = Mutex<Int?>(nil)

        private init(path: String) { self.path = path }

        func pass(_ point: CrashPoint) {
            remaining.withLock { remaining in
                guard let count = remaining ?? chosenCount() else { return }
                remaining = count - 1
                if count == 0 { end(at: point) }
            }
        }

        private func chosenCount() -> Int? {
            guard let text = fopen(path, "re") else { return nil }
            defer { fclose(text) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, Int32(line.count), text) != nil else { return nil }
            return Int(strtol(line, nil, 10))
        }

        private func end(at point: CrashPoint) {
            if let file = fopen(path + ".reached", "we") {
                fputs(point.rawValue, file)
                fclose(file)
            }
            kill(getpid(), SIGKILL)
        }
    }
#endif
