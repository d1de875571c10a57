import Glibc

/// Permission bits as they are kept, with the rules that POSIX has for them.
enum FileMode {
    private static let setUser: UInt16 = 0o4000
    private static let setGroup: UInt16 = 0o2000
    private static let groupExecute: UInt16 = 0o010

    static func hasSetID(_ mode: UInt16) -> Bool { mode & (setUser | setGroup) != 0 }

    /// What is left of a file's mode when somebody without privilege changes its content, or anybody its owner. Set-group-id
    /// without group-execute stays for a member of the file's group (the kernel's `setattr_should_drop_sgid`).
    ///
    /// - Parameter isMember: whether the caller belongs to the file's group, or has privilege. Asked only where it matters.
    static func clearingSetID(_ mode: UInt16, isMember: () throws -> Bool) rethrows -> UInt16 {
        if mode & setGroup == 0 { return mode & ~setUser }
        let keepsGroup = try mode & groupExecute == 0 && isMember()
        return mode & ~(keepsGroup ? setUser : setUser | setGroup)
    }

    /// A row's mode as it holds: the kernel takes set-id bits from the backing file when it writes to it by itself.
    static func held(_ mode: UInt16, by file: mode_t) -> UInt16 {
        mode & ~((setUser | setGroup) & ~UInt16(file & 0o7777))
    }
}
