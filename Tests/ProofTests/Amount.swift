import Foundation
import TestSupport

/// How much a proof does, and from which seed: by the environment, so that `scripts/prove` can ask for more.
enum Amount {
    /// The first seed (`DOCFS_PROOF_SEED`).
    static var seed: UInt64 { UInt64(number("SEED") ?? 1) }

    /// Whether the container of a part of a row is encrypted: every other one is, and with the next seed the others. A row of one part for
    /// each of both locations encrypts one of them.
    static func isEncrypted(_ part: Int, in location: String) -> Bool {
        (seed &+ UInt64(part) &+ (location == "cloud" ? 1 : 0)).isMultiple(of: 2)
    }

    /// The attacks of a row (`DOCFS_PROOF_ROW`).
    static func attacks(_ row: String, default amount: Int) -> Int { number(row) ?? amount }

    /// Some of many: all where as much is asked for, else fewer, which another seed chooses otherwise.
    static func choice<Element>(of all: [Element], share: Int, of whole: Int) -> [Element] {
        var random = SeededGenerator(seed: seed)
        let count = min(all.count, max(1, all.count * share / whole))
        return Array(all.shuffled(using: &random).prefix(count))
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["DOCFS_PROOF_" + name].flatMap { Int($0) }
    }

    /// The line that `scripts/prove` collects.
    static func report(_ row: String, attacks: Int, lost: Int, _ details: String) {
        print("proof: \(row): \(attacks) attacks, \(lost) lost (\(details))")
    }
}
