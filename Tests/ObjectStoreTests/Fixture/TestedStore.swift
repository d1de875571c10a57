import ObjectStore
import SystemPackage

/// The stores that have to keep the contract of `ObjectStore`.
enum TestedStore: CaseIterable, Sendable {
    case directory
    case s3

    /// Runs `body` with a new, empty store.
    func run(_ body: (any ObjectStore) async throws -> Void) async throws {
        switch self {
        case .directory: try await withStore { store, _ in try await body(store) }
        case .s3: try await body(try await S3Server.seaweed().store())
        }
    }
}
