import Glibc
import SystemPackage

/// Why a store cannot be used, in one line for a person.
public struct StoreError: Error, CustomStringConvertible, Sendable {
    /// One line for a person, with the advice that helps.
    public let description: String

    /// - Parameter description: one line for a person.
    public init(_ description: String) { self.description = description }
}

/// Prevents a second docfs from using a store. It is an flock(2) on the file `lock`, held until this object is freed or the process ends,
/// however it ends.
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
