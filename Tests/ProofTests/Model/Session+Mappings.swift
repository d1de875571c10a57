import Glibc
import MountSupport
import SystemPackage

/// Shared mappings. They are touched only where the file has bytes, since beyond them is SIGBUS on every file system.
extension Session {
    func performOnMapping(_ operation: Operation) -> String {
        switch operation {
        case .map(let mapping, let slot):
            _ = unmap(mapping)
            guard let file = files[slot] else { return Self.nothingHeld }
            let count = 1 << 14
            guard let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0),
                address != MAP_FAILED
            else { return "\(Errno(rawValue: errno))" }
            mappings[mapping] = Mapping(address: address, count: count, descriptor: dup(file.descriptor))
            return Self.done
        case .writeMapped(let mapping, let offset, let content):
            return with(mapping) { mapping, size in
                let bytes = content.bytes.prefix(max(0, size - offset))
                if bytes.isEmpty { return Self.done }
                _ = bytes.withUnsafeBytes { memcpy(mapping.address + offset, $0.baseAddress!, $0.count) }
                return outcome(msync(mapping.address, mapping.count, MS_SYNC))
            }
        case .readMapped(let mapping, let offset, let count):
            return with(mapping) { mapping, size in
                let range = min(offset, size)..<min(offset + count, size)
                return summary(of: Array(UnsafeRawBufferPointer(start: mapping.address, count: mapping.count)[range]))
            }
        case .unmap(let mapping): return unmap(mapping)
        default: return Self.nothingHeld
        }
    }

    private func with(_ slot: Int, _ body: (Mapping, _ size: Int) -> String) -> String {
        guard let mapping = mappings[slot] else { return Self.nothingHeld }
        var status = stat()
        guard fstat(mapping.descriptor, &status) == 0 else { return "\(Errno(rawValue: errno))" }
        return body(mapping, min(mapping.count, Int(status.st_size)))
    }

    func unmap(_ slot: Int) -> String {
        guard let mapping = mappings[slot] else { return Self.nothingHeld }
        mappings[slot] = nil
        close(mapping.descriptor)
        return outcome(munmap(mapping.address, mapping.count))
    }
}
