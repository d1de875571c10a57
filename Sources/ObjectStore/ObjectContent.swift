import SystemPackage

/// Bytes that become an object, read at any place and as often as sending them takes.
public protocol ObjectContent: Sendable {
    /// Blocks. Shorter than asked for only at the end.
    ///
    /// - Parameters:
    ///   - offset: bytes from the beginning.
    ///   - count: bytes.
    func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8]

    /// The file that holds just these bytes, for copying within the kernel; nil where there is none.
    var descriptor: FileDescriptor? { get }
}

extension ObjectStore {
    /// Creates an object with the first `length` bytes of an open file. The caller may close its descriptor when this returns, although a
    /// read that was given up is still under way.
    public func putIfAbsent(
        _ key: ObjectKey, contentsOf file: FileDescriptor, length: Int64,
        progress: @escaping @Sendable (Int64) -> Bool
    ) async throws(ObjectStoreError) -> PutOutcome {
        let content: SourceFile
        do throws(Errno) { content = try SourceFile(file) } catch { throw .failed(key, error) }
        return try await putIfAbsent(key, content, length: length, progress: progress)
    }
}
