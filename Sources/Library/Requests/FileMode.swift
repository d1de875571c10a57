import Glibc

/// POSIX's rules for set-id bits.
enum FileMode {
    private static let setUser: UInt16 = 0o4000
    private static let setGroup: UInt16 = 0o2000
    private static let groupExecute: UInt16 = 0o010

    static func hasSetID(_ mode: UInt16) -> Bool { mode & (setUser | setGroup) != 0 }

    /// The mode that a file has after a caller without privilege changes its content, or any caller its owner. Set-group-id without
    /// group-execute stays if the caller is a member of the file's group (the kernel's `setattr_should_drop_sgid`).
    ///
    /// - Parameter isMember: whether the caller belongs to the file's group, or has privilege. Called only where it matters.
    static func clearingSetID(_ mode: UInt16, isMember: () throws -> Bool) rethrows -> UInt16 {
        if mode & setGroup == 0 { return mode & ~setUser }
        let keepsGroup = try mode & groupExecute == 0 && isMember()
        return mode & ~(keepsGroup ? setUser : setUser | setGroup)
    }

    /// A row's mode without the set-id bits that its backing file lacks: the kernel removes them when it writes to the file by itself.
    static func held(_ mode: UInt16, by file: mode_t) -> UInt16 {
        mode & ~((setUser | setGroup) & ~UInt16(file & 0o7777))
    }
}
