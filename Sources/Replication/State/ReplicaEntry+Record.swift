import FoundationEssentials

extension ReplicaEntry {
    /// The entry in its canonical form (ContainerFormat, How values are written). The hash of the state is made of it, and checkpoints
    /// contain it.
    public func record() throws(CommitError) -> [UInt8] {
        do { return Array(try Self.recordEncoder.encode(self)) } catch { throw .malformed("\(error)") }
    }

    private static let recordEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
}
