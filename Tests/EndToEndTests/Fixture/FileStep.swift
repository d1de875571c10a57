import Glibc
import MountSupport
import SystemPackage

/// An operation of a program on files below a folder, with its result.
enum FileStep: Sendable {
    case write(String, FileDescriptor.OpenOptions, FilePermissions, [UInt8])
    case rename(String, to: String)
    case remove(String)
    case setPermissions(String, FilePermissions)
    case setTimes(String, seconds: Int)
    case truncate(String, Int64)
    case makeFolder(String)
    case removeFolder(String)
    case read(String)
    case list(String)
    case status(String)

    /// The result, or the error.
    func carryOut(in root: FilePath) -> String {
        do { return try attempt(root) } catch { return "\(error)" }
    }

    private func attempt(_ root: FilePath) throws -> String {
        switch self {
        case .write(let name, let options, let permissions, let bytes):
            let file = try (root / name).open(.readWrite, options, permissions: permissions)
            try file.write(bytes)
            let seen = try file.status()
            try file.close()
            return seen
        case .rename(let name, let newName): try (root / name).rename(to: root / newName)
        case .remove(let name): try (root / name).remove()
        case .setPermissions(let name, let permissions): try (root / name).setPermissions(permissions)
        case .setTimes(let name, let seconds):
            let time = timespec(tv_sec: seconds, tv_nsec: seconds % 1000)
            try (root / name).setTimes(accessed: time, modified: time)
        case .truncate(let name, let size): try (root / name).call { Glibc.truncate($0, off_t(size)) }
        case .makeFolder(let name): try (root / name).makeFolder()
        case .removeFolder(let name): try (root / name).removeFolder()
        case .read(let name): return summary(of: try (root / name).bytes())
        case .list(let name): return "\(try (root / name).documentNames().sorted())"
        case .status(let name): return try (root / name).look()
        }
        return "done"
    }
}

extension OpenFile {
    /// Mode, links and size.
    func status() throws -> String {
        var status = stat()
        try call { fstat($0, &status) }
        return "\(String(status.st_mode, radix: 8)) \(status.st_nlink) \(status.st_size)"
    }
}

extension FilePath {
    /// The fields of lstat(2) that are the same on every file system. Times count only if they were set: those lie years back.
    fileprivate func look() throws(Errno) -> String {
        var status = Glibc.stat()
        try call { lstat($0, &status) }
        let mode = String(status.st_mode, radix: 8)
        if status.st_mode & S_IFMT == S_IFDIR { return mode }
        let time =
            status.st_mtim.tv_sec < 1_500_000_000 ? "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)" : "lately"
        return "\(mode) \(status.st_nlink) \(status.st_size) \(time)"
    }

    /// Everything below a folder, with contents.
    func tree() throws -> [String: String] {
        var found: [String: String] = [:]
        for entry in try entries() {
            let path = self / entry.name
            let look = try path.look()
            if entry.type == DT_DIR {
                found[entry.name] = look
                for (inner, content) in try path.tree() { found["\(entry.name)/\(inner)"] = content }
            } else {
                found[entry.name] = "\(look) \(summary(of: try path.bytes()))"
            }
        }
        return found
    }
}
