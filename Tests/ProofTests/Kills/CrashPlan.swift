import Foundation
import MountSupport
import SystemPackage

/// The orders of a test to a docfs that it attacks (`attack.c`): to be killed between two effects, or to go without a protection.
struct CrashPlan {
    private let folder: FilePath
    private var plan: FilePath { folder / "plan" }
    private var reachedPoint: FilePath { folder / "plan.reached" }
    private var attack: FilePath { folder / "attack.so" }

    init() async throws {
        folder = try .makeTemporaryFolder()
        do {
            let source = FilePath(#filePath).removingLastComponent() / "attack.c"
            try await runShell(
                #"exec clang -shared -fPIC -o attack.so "$SOURCE""#, in: folder, environment: ["SOURCE": source.string])
        } catch {
            remove()
            throw error
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder.string) }

    /// The variables of a docfs that takes orders.
    ///
    /// - Parameter protection: the one that is off (`Protection`).
    func environment(without protection: String? = nil) -> [String: String] {
        var variables = ["LD_PRELOAD": attack.string, "DOCFS_CRASH_PLAN": plan.string]
        variables["DOCFS_WITHOUT"] = protection
        return variables
    }

    /// - Parameter count: the effects from now on that still happen.
    func kill(after count: Int) throws {
        let new = folder / "plan.new"
        try new.write(String(count))
        try new.rename(to: plan)
    }

    /// The point at which docfs was killed; nil if it was not.
    var reached: String? { try? reachedPoint.text() }

    func withdraw() {
        for path in [plan, reachedPoint] { try? path.remove() }
    }
}
