/// Bytes with a prime period, so that no two pieces of a round size are equal.
public func pattern(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    let block = (0..<65_521).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return bytes
}
