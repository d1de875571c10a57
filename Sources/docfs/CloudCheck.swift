import Dispatch
import CloudSynchronization
import Logging
import ObjectStore
import Synchronization

/// Refuses a cloud in which two devices would overwrite each other (PRODUCT 5), as far as that can be
/// known at mount: one that does not answer in time is asked again before anything is written to it.
final class CloudCheck: Sendable {
    private static let patience = DispatchTimeInterval.seconds(3)

    private let failure = Mutex<ObjectStoreError?>(nil)
    private let answered = DispatchSemaphore(value: 0)

    private init() {}

    /// Waits on a thread that is no task's: the one that mounts.
    static func run(_ cloud: CloudConnection, _ logger: Logger) throws {
        let check = CloudCheck()
        let task = Task { await check.ask(cloud) }
        defer { task.cancel() }
        guard check.answered.wait(timeout: .now() + patience) == .success else {
            return logger.notice("the cloud does not answer; whether it is fit is checked before the first upload")
        }
        switch check.failure.withLock({ $0 }) {
        case nil: break
        case .unusable(let reason)?: throw CommandFailure("\(ObjectStoreError.unusable(reason))")
        case let failure?: logger.notice("the cloud is checked before the first upload: \(failure)")
        }
    }

    private func ask(_ cloud: CloudConnection) async {
        do throws(ObjectStoreError) { try await cloud.probe() } catch { failure.withLock { $0 = error } }
        answered.signal()
    }
}
