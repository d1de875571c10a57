import Replication
import Testing

/// How far the container was told of the last changes when the next one is made.
enum Moment: CaseIterable, Sendable, CustomTestStringConvertible {
    /// Not at all.
    case waiting
    /// The commit is on its way, and is not in the log.
    case underWay
    /// The commit is in the log, and this device does not know it yet.
    case inLog
    /// This device has read its own commit.
    case read

    var testDescription: String { "\(self)" }
}

extension TestDevice {
    /// Goes on with synchronization until the moment is there.
    func reach(_ moment: Moment) async throws {
        switch moment {
        case .waiting: break
        case .underWay: try await send(.refuses)
        case .inLog: try await send(.losesReply)
        case .read: try await push()
        }
    }

    private func send(_ log: GatedStore.Log) async throws {
        cloud.setLog(log)
        defer { cloud.setLog(.works) }
        await #expect(throws: LogError.self) { try await push() }
    }
}
