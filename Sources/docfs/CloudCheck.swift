import Dispatch
import CloudSynchronization
import Logging
import ObjectStore
import Synchronization

/// Refuses, at mount, a cloud store where two devices could overwrite each other's objects (Semantics, "Containers"). A store
/// that does not answer in time is checked later, before the first upload.
final class CloudCheck: Sendable {
    private static let timeout = DispatchTimeInterval.seconds(3)

    private let failure = Mutex<ObjectStoreError?>(nil)
    private let answered = DispatchSemaphore(value: 0)

    private init() {}

    /// Blocks. Called on the mounting thread, which runs no task.
    static func run(_ cloud: CloudConnection, _ logger: Logger) throws {
        let check = CloudCheck()
        let task = Task { await check.ask(cloud) }
        defer { task.cancel() }
        guard check.answered.wait(timeout: .now() + timeout) == .success else {
            return logger.notice("the cloud does not answer; it is checked before the first upload")
        }
        switch check.failure.withLock({ $0 }) {
        case nil: break
        case .unusable(let reason)?: throw CommandFailure("\(ObjectStoreError.unusable(reason))")
        case let failure?:
            logger.notice("the cloud could not be checked; it is checked before the first upload: \(failure)")
        }
    }

    private func ask(_ cloud: CloudConnection) async {
        do throws(ObjectStoreError) { try await cloud.probe() } catch { failure.withLock { $0 = error } }
        answered.signal()
    }
}
