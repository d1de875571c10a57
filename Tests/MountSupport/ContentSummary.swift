/// What tells one content from another one. All bytes as text would take milliseconds in a debug build.
public func summary(of bytes: some Collection<UInt8>) -> String {
    var hasher = Hasher()
    Array(bytes).withUnsafeBytes { hasher.combine(bytes: $0) }
    return "\(bytes.count) bytes \(Array(bytes.prefix(6))) hash \(hasher.finalize())"
}
