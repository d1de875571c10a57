/// The lengths that contents are padded to: padmé (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs",
/// 2019). A length tells only its order of magnitude and few bits more; at most 12 % are added.
enum Padding {
    /// - Parameter length: bytes, 0 or more.
    static func padded(_ length: Int64) -> Int64 {
        guard length > 1 else { return length }
        let exponent = Int64(63 - length.leadingZeroBitCount)
        let bits = Int64(64 - exponent.leadingZeroBitCount)
        let mask = (Int64(1) << (exponent - bits)) - 1
        return mask <= 0 ? length : (length + mask) & ~mask
    }
}
