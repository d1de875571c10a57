import Foundation

/// How often an attack is made, and the one line that says what came of it.
struct Proof {
    let row: String
    let amount: Int
    let firstSeed: UInt64

    /// - Parameter usual: how often in an ordinary test run; `DOCFS_PROOF_<ROW>=N` changes it, and `DOCFS_PROOF_SEED` the first seed.
    init(_ row: String, usual: Int) {
        let environment = ProcessInfo.processInfo.environment
        self.row = row
        amount = environment["DOCFS_PROOF_\(row)"].flatMap { Int($0) } ?? usual
        firstSeed = environment["DOCFS_PROOF_SEED"].flatMap { UInt64($0) } ?? 1
    }

    func report(attacks: Int, lost: Int, _ details: String) {
        print("proof: \(row): \(attacks) attacks, \(lost) lost (\(details))")
    }
}
