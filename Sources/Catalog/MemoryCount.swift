import CSQLite

/// SQLite counts the memory of all connections behind one lock of the process, which each of its allocations takes. Nobody asks for the
/// count. Measured with perf: of two devices in one process the counting took a fifth of the time.
enum MemoryCount {
    /// Ends the counting, at the first use. Where SQLite is in use already, it goes on, and nothing else differs.
    static let isOff: Bool = docfs_sqlite_count_no_memory() == SQLITE_OK
}
