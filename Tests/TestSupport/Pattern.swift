/// Bytes whose period is a prime, so that no piece of a round size can stand in another's place.
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
