import Foundation

/// Where the files of a test lie.
public enum TestStorage: Sendable {
    /// In memory, where no sync waits for a disk. There, writes to mappings change no times.
    case memory
    case disk

    /// An existing folder.
    public var folder: String {
        switch self {
        // `scripts/test` makes one for each run, so that it can be removed if the run is interrupted.
        case .memory: ProcessInfo.processInfo.environment["DOCFS_TEST_MEMORY"] ?? "/dev/shm"
        case .disk: FileManager.default.temporaryDirectory.path
        }
    }
}
