import Glibc
import MountSupport
import SystemPackage

/// Calls on names.
extension Session {
    func performOnName(_ operation: Operation) -> String {
        switch operation {
        case .rename(let source, let target, let flags): return rename(source, target, flags)
        case .remove(let place): return at(place) { unlinkat($0, $1, 0) }
        case .makeFolder(let place, let mode): return at(place) { mkdirat($0, $1, mode) }
        case .removeFolder(let place): return at(place) { unlinkat($0, $1, AT_REMOVEDIR) }
        case .makeLink(let target, let place): return at(place) { symlinkat(target, $0, $1) }
        case .truncate(let place, let size):
            guard let path = path(place) else { return Self.nothingHeld }
            return outcome(Glibc.truncate(path.string, size))
        case .setMode(let place, let mode): return at(place) { fchmodat($0, $1, mode, 0) }
        case .setModified(let place, let seconds): return setModified(place, seconds)
        case .access(let place, let mode): return at(place) { faccessat($0, $1, mode, 0) }
        case .setAttribute(let place, let name, let value, let condition):
            guard let path = path(place) else { return Self.nothingHeld }
            return outcome(glibcSetAttribute(path.string, name, value.bytes, value.count, condition))
        case .removeAttribute(let place, let name):
            guard let path = path(place) else { return Self.nothingHeld }
            return outcome(glibcRemoveAttribute(path.string, name))
        case .openFolder(let slot, let place):
            closeFolder(slot)
            return at(place) { folder, path in
                let descriptor = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                folders[slot] = descriptor < 0 ? nil : descriptor
                return min(descriptor, 0)
            }
        case .closeFolder(let slot):
            closeFolder(slot)
            return Self.done
        default: return Self.nothingHeld
        }
    }

    private func rename(_ source: Place, _ target: Place, _ flags: UInt32) -> String {
        if let slot = target.folder, folders[slot] == nil { return Self.nothingHeld }
        return at(source) { sourceFolder, sourcePath in
            let targetFolder = target.folder.flatMap { folders[$0] } ?? AT_FDCWD
            let targetPath = target.folder == nil ? target.in(root) : target.path.isEmpty ? "." : target.path
            return glibcRenameat2(sourceFolder, sourcePath, targetFolder, targetPath, flags)
        }
    }

    func setModified(_ place: Place, _ seconds: Int) -> String {
        let time = timespec(tv_sec: seconds, tv_nsec: seconds % 1000)
        return at(place) { utimensat($0, $1, [time, time], AT_SYMLINK_NOFOLLOW) }
    }
}
