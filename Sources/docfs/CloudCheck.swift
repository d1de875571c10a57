import CloudSynchronization
import Dispatch
import Logging
import ObjectStore

/// Refuses, at mount, a cloud store where two devices could overwrite each other's objects (Semantics, "Containers"), and another container
/// than the one that the store belongs to. A store that does not answer in time is checked later, before the first upload.
enum CloudCheck {
    private static let timeout = DispatchTimeInterval.seconds(3)

    /// Blocks. Called on the mounting thread, which runs no task.
    ///
    /// - Returns: whether the cloud answered in time.
    static func run(_ cloud: CloudConnection, _ request: MountRequest, _ logger: Logger) throws -> Bool {
        let mayBeOther = request.mayBeOtherCloud && !request.options.moveToThisCloud
        let isOwnContainer = blockingAnswer(within: timeout) {
            try await cloud.probe()
            return mayBeOther ? try await cloud.isOwnContainer() : true
        }
        switch isOwnContainer {
        case .success(true): return true
        case .success(false): throw CommandFailure(otherContainer(request))
        case .failure(ObjectStoreError.unusable(let reason)):
            throw CommandFailure("\(ObjectStoreError.unusable(reason))")
        case .failure(let failure):
            logger.notice("the cloud could not be checked; it is checked before the first upload: \(failure)")
        case nil: logger.notice("the cloud does not answer; it is checked before the first upload")
        }
        if mayBeOther, request.formerCloud != nil, cloud.belongsToContainer {
            throw CommandFailure(unknownContainer(request))
        }
        return isOwnContainer != nil
    }

    private static func otherContainer(_ request: MountRequest) -> String {
        let former = request.formerCloud.map { "the container at \($0.text)" } ?? "another container"
        return
            "the store \(request.storePath) belongs to \(former), and \(request.cloud.text) is not that one; mount without "
            + "--cloud, or with --move-to-this-cloud if the documents are meant to go there"
    }

    private static func unknownContainer(_ request: MountRequest) -> String {
        "\(request.cloud.text) does not answer, so nobody can tell whether it is the container of the store \(request.storePath), "
            + "which was at \(request.formerCloud?.text ?? "another place"); mount without --cloud, or when it answers"
    }
}
