import CLinux

/// Keeps what this process knows from other processes.
enum ProcessSecrecy {
    /// From now on there is no core file of this process, and no other process of the same user can read its memory or its environment
    /// (PR_SET_DUMPABLE). For a process that has met a passphrase or a key: some copies of both cannot be overwritten.
    static func begin() { _ = docfs_forbid_dumps() }
}
