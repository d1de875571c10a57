import Glibc

enum DescriptorLimit {
    /// Raises this process's limit of open files to the most that it may have: the daemon needs a descriptor for each document that any program
    /// has open, who follows folders one for each of them.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
