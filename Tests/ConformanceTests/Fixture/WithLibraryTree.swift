import Backing
import CloudSynchronization
import Documents
import Foundation
import Library
import Logging
import ObjectStore
import TestSupport

/// Runs `body` with a library that has an empty store and an empty cloud folder, while its changes are synchronized as in a mount.
func withLibraryTree(showsDisplayNames: Bool, _ body: (LibraryTree) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let store = folder + "/store"
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let configuration = LibraryConfiguration(
            storePath: store, filenames: try FilenameGenerator(convention: .timestamp, prefix: ""),
            showsDisplayNames: showsDisplayNames, timeout: .seconds(600))
        let cloudFolder = try DirectoryStore(root: folder + "/cloud", creates: true)
        let (library, connection) = try Library.open(
            configuration, deviceName: "Laptop", surroundings: .ofTests,
            logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in CloudConnection(cloudFolder, surroundings: .ofTests) }
        let synchronization = await synchronize(library, connection)
        let outcome = await Result { try await body(LibraryTree(library)) }
        synchronization.cancel()
        await synchronization.value
        try library.close()
        try outcome.get()
    }
}

/// Starts to synchronize, and waits until the cloud was read once.
private func synchronize(_ library: Library, _ connection: CloudConnection) async -> Task<Void, Never> {
    let (firstRound, continuation) = AsyncStream<Never>.makeStream()
    let synchronizer = Synchronizer(library, connection)
    let task = Task { await synchronizer.run { continuation.finish() } }
    for await _ in firstRound {}
    return task
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension Surroundings {
    /// The machine's clock, and a wall that always shows the same time.
    fileprivate static let ofTests: Surroundings = {
        var surroundings = Surroundings(
            now: { Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9)) },
            localTime: { _ in LocalTime(year: 2026, month: 11, day: 21, hour: 4, minute: 12, second: 33) },
            random: { SystemRandomNumberGenerator() })
        // This process itself is the one that has files open.
        surroundings.asksForLeases = false
        return surroundings
    }()
}
