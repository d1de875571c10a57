import Foundation
import MountSupport
import SystemPackage

/// The file by which a test has docfs killed between two effects (`CrashPoint`).
struct CrashPlanFile {
    private let path: FilePath

    init() {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        path = FilePath(parent) / "docfs-plan-\(UUID().uuidString.prefix(8))"
    }

    var environment: [String: String] { ["DOCFS_CRASH_PLAN": path.string] }

    /// - Parameter count: the effects from now on that still happen.
    func kill(after count: Int) throws {
        let new = FilePath(path.string + ".new")
        try new.write(String(count))
        try new.rename(to: path)
    }

    /// The point at which docfs was killed; nil if it was not.
    var reached: String? { try? FilePath(path.string + ".reached").text() }

    func withdraw() {
        for path in [path, FilePath(path.string + ".reached")] { try? path.remove() }
    }
}
