import Glibc

/// The attack that a test has loaded into this process before it began (`LD_PRELOAD`, `Tests/ProofTests/Kills/attack.c`). Nobody else has one,
/// and nothing else leads to it; so what tests attack is the very program that people get.
struct Attack: Sendable {
    static let loaded = Attack()

    /// Kills the process at the point that the test has chosen.
    let pass: @convention(c) @Sendable (_ point: UnsafePointer<CChar>) -> Void
    /// Whether the test has left this protection on.
    let isOn: @convention(c) @Sendable (_ protection: UnsafePointer<CChar>) -> Bool

    private init?() {
        // A null handle stands for all that is loaded (RTLD_DEFAULT).
        guard let pass = dlsym(nil, "docfs_attack_pass"), let isOn = dlsym(nil, "docfs_attack_is_on") else {
            return nil
        }
        self.pass = unsafeBitCast(pass, to: type(of: self.pass))
        self.isOn = unsafeBitCast(isOn, to: type(of: self.isOn))
    }
}
