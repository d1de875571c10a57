import LinuxFiles
import CLinux
import Glibc
import SystemPackage

/// Moving bytes between descriptors.
extension DirectoryStore {
    private static let pieceLength = 4 << 20

    func write(_ bytes: ArraySlice<UInt8>, to file: OpenDescriptor, _ key: ObjectKey) throws(ObjectStoreError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(key, errno)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Within the kernel where both file systems can, else through a buffer.
    func copy(
        _ content: any ObjectContent, to target: OpenDescriptor, length: Int64, _ key: ObjectKey,
        _ progress: (Int64) -> Bool
    ) throws(ObjectStoreError) {
        var offset: off_t = 0
        let source = content.descriptor?.rawValue
        var isDirect = source != nil
        while offset < length {
            let wanted = min(Self.pieceLength, Int(length - Int64(offset)))
            var count = 0
            if isDirect, let source {
                count = copy_file_range(source, &offset, target.number, nil, wanted, 0)
                if count < 0, errno == EINTR { continue }
                if count < 0, [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) {
                    isDirect = false
                    continue
                }
                if count < 0 { throw failure(key, errno) }
            } else {
                let bytes: [UInt8]
                // The source is a file of this device, whose errors say nothing about the store.
                do throws(Errno) {
                    bytes = try content.read(at: Int64(offset), count: wanted)
                } catch { throw .failed(key, error) }
                try write(bytes[...], to: target, key)
                count = bytes.count
                offset += off_t(count)
            }
            if count == 0 { throw .corrupted(key, "the document became shorter while it was sent") }
            if !progress(Int64(count)) { throw .failed(key, .canceled) }
        }
    }

    func read(
        _ file: OpenDescriptor, _ range: Range<Int64>, _ key: ObjectKey
    ) throws(ObjectStoreError) -> [UInt8] {
        do throws(Errno) { return try Self.read(file.number, range) } catch { throw failure(key, error.rawValue) }
    }

    private static func read(_ file: Int32, _ range: Range<Int64>) throws(Errno) -> [UInt8] {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Errno(rawValue: errno) }
        let end = min(range.upperBound, Int64(status.st_size))
        guard range.lowerBound < end else { return [] }
        return try FileDescriptor(rawValue: file).bytes(at: range.lowerBound, count: Int(end - range.lowerBound))
    }
}
