import Glibc
import MountSupport
import SystemPackage

/// Calls on open files.
extension Session {
    func performOnHandle(_ operation: Operation) -> String {
        switch operation {
        case .open(let slot, let place, let flags, let mode): open(slot, place, flags, mode)
        case .close(let slot):
            with(slot) { _ in
                closeFile(slot)
                return Self.done
            }
        case .write(let slot, let offset, let content):
            with(slot) { file in
                let bytes = content.bytes
                let count =
                    offset.map { pwrite(file.descriptor, bytes, bytes.count, $0) }
                    ?? Glibc.write(file.descriptor, bytes, bytes.count)
                return outcome(count)
            }
        case .read(let slot, let offset, let count): with(slot) { read($0, offset, count) }
        case .seek(let slot, let offset, let whence):
            with(slot) { file in
                // Where a folder's entries are is each file system's own affair.
                file.isFolder ? Self.done : outcome(lseek(file.descriptor, offset, whence))
            }
        case .resize(let slot, let size): with(slot) { outcome(ftruncate($0.descriptor, size)) }
        case .allocate(let slot, let mode, let offset, let count):
            with(slot) {
                outcome(glibcFallocate($0.descriptor, mode, offset, count))
            }
        case .copyRange(let source, let target, let sourceOffset, let targetOffset, let count):
            with(source) { source in
                with(target) { target in
                    var (from, to) = (off_t(sourceOffset), off_t(targetOffset))
                    return outcome(
                        glibcCopyFileRange(source.descriptor, &from, target.descriptor, &to, count, 0))
                }
            }
        case .synchronize(let slot): with(slot) { outcome(fsync($0.descriptor)) }
        case .setModeOfHandle(let slot, let mode): with(slot) { outcome(fchmod($0.descriptor, mode)) }
        case .lock(let slot, let operation): with(slot) { outcome(glibcLock($0.descriptor, operation)) }
        case .lockRange(let slot, let type, let start, let count):
            with(slot) { file in
                var range = Glibc.flock()
                range.l_type = Int16(type)
                range.l_whence = Int16(SEEK_SET)
                range.l_start = start
                range.l_len = count
                return outcome(fcntl(file.descriptor, setLockOfOpenFile, &range))
            }
        case .setAttributeOfHandle(let slot, let name, let value):
            with(slot) {
                outcome(glibcSetAttributeOfHandle($0.descriptor, name, value.bytes, value.count, 0))
            }
        default: Self.nothingHeld
        }
    }

    private func with(_ slot: Int, _ body: (File) -> String) -> String {
        guard let file = files[slot] else { return Self.nothingHeld }
        return body(file)
    }

    private func open(_ slot: Int, _ place: Place, _ flags: Int32, _ mode: UInt32) -> String {
        closeFile(slot)
        return at(place) { folder, path in
            let descriptor = openat(folder, path, flags | O_CLOEXEC, mode)
            guard descriptor >= 0 else { return descriptor }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else {
                let code = errno
                Glibc.close(descriptor)
                errno = code
                return -1
            }
            files[slot] = File(
                descriptor: descriptor, isFolder: status.st_mode & S_IFMT == S_IFDIR,
                canRead: flags & O_ACCMODE != O_WRONLY, place: place)
            return 0
        }
    }

    private func read(_ file: File, _ offset: Int?, _ count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        let found =
            offset.map { pread(file.descriptor, &bytes, count, $0) } ?? Glibc.read(file.descriptor, &bytes, count)
        let text = outcome(found)
        return found > 0 ? summary(of: bytes[..<found]) : text
    }

    /// What an open file shows.
    func look(atHandle slot: Int) throws -> Look? {
        guard let file = files[slot] else { return nil }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
        var look = Look(status)
        if look.isFile, file.canRead {
            look.content = Content(bytes: try content(of: file.descriptor, count: Int(status.st_size)))
        }
        return look
    }

    private func content(of descriptor: CInt, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count + 1)
        let found = pread(descriptor, &bytes, count + 1, 0)
        guard found >= 0 else { throw Errno(rawValue: errno) }
        return Array(bytes[..<found])
    }

    func inode(ofHandle slot: Int) -> UInt64? {
        guard let file = files[slot] else { return nil }
        var status = stat()
        return fstat(file.descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }
}
