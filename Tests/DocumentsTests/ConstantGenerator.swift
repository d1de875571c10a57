/// Always the same number.
struct ConstantGenerator: RandomNumberGenerator {
    let number: UInt64

    func next() -> UInt64 { number }
}
