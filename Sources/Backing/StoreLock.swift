import CLinux
import Glibc
import LinuxFiles
import SystemPackage

/// Why a store cannot be used, in one line for a person.
public struct StoreError: Error, CustomStringConvertible, Sendable {
    /// One line for a person, with the advice that helps.
    public let description: String
    /// Whether a new catalog, made from the files, would help.
    public let isCatalogDamage: Bool

    /// - Parameter description: one line for a person.
    public init(_ description: String, isCatalogDamage: Bool = false) {
        self.description = description
        self.isCatalogDamage = isCatalogDamage
    }
}

/// Prevents a second docfs from using a store. It is an flock(2) on the file `lock`, held until this object is freed or the process ends,
/// however it ends. The file names its holder (`StoreHolder`).
public final class StoreLock: Sendable {
    private let descriptor: Descriptor

    /// Creates the store's folder (mode 0700) where it is missing, and locks it. Does not wait for the lock.
    ///
    /// - Throws: `StoreError` if the folder cannot be made or written to, or another docfs uses the store.
    public init(path: String) throws(StoreError) {
        try Self.makeFolders(path)
        do throws(Errno) {
            descriptor = try Descriptor.open(path + "/lock", O_RDWR | O_CREAT, mode: 0o600)
        } catch {
            throw StoreError("the store \(path) is not writable (\(error)); choose another with --store")
        }
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(
                "the store \(path) is in use by another docfs; unmount that first, or choose another with --store")
        }
        record(StoreHolder(isEnding: false))
    }

    /// Says that this process will soon let go of the lock: it serves no mount any more.
    public func recordEnding() { record(StoreHolder(isEnding: true)) }

    private func record(_ holder: StoreHolder) {
        // `try?`: on a full disk the file names nobody, and a mount that meets this process does not wait for its end.
        try? FileDescriptor(rawValue: descriptor.number).write(Array(holder.text.utf8), at: 0)
    }

    /// Waits at most 5 seconds for the docfs that used the store last, if it is ending: after `docfs unmount`, SIGTERM or SIGKILL a process
    /// may hold the lock and the mount for a moment still. Does not wait for one that goes on serving.
    public static func waitForEndingHolder(path: String) {
        let deadline = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < deadline, let holder = holder(path), holder.willSoonBeGone { usleep(10_000) }
    }

    private static func holder(_ path: String) -> StoreHolder? {
        guard let file = try? Descriptor.open(path + "/lock", O_RDONLY), let bytes = try? file.readPrefix(256) else {
            return nil
        }
        return StoreHolder(String(decoding: bytes, as: UTF8.self))
    }

    private static func makeFolders(_ path: String) throws(StoreError) {
        var partial = ""
        for component in path.split(separator: "/") {
            partial += "/" + component
            if mkdir(partial, 0o700) != 0, errno != EEXIST, access(partial, X_OK) != 0 {
                throw StoreError(
                    "the store \(path) cannot be created: \(partial): \(Errno(rawValue: errno))")
            }
        }
    }
}
