/// Permission bits as they are kept, with the rules that POSIX has for them.
enum FileMode {
    private static let setUser: UInt16 = 0o4000
    private static let setGroup: UInt16 = 0o2000
    private static let groupExecute: UInt16 = 0o010

    static func hasSetID(_ mode: UInt16) -> Bool { mode & (setUser | setGroup) != 0 }

    /// What is left of a file's mode when somebody without privilege changes its content, or anybody its
    /// owner. Set-group-id without group-execute means something else and stays (chown(2), write(2)).
    static func clearingSetID(_ mode: UInt16) -> UInt16 {
        let cleared = mode & groupExecute == 0 ? setUser : setUser | setGroup
        return mode & ~cleared
    }
}
