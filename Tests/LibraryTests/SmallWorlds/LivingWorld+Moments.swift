@testable import Library
@testable import CloudSynchronization
import Replication
import Testing

/// The moments.
extension SmallWorlds.LivingWorld {
    func reach(_ stage: Stage, _ side: Side) async throws {
        let device = side.device
        if stage != .waiting { tell("# \(device.name): \(stage)") }
        if stage.endsSaves {
            side.freed = []
            side.removed = [:]
        }
        if ![.waiting, .offline, .crashed].contains(stage) { try closeUnsentOpened(side) }
        switch stage {
        case .waiting: break
        case .underWay: try await send(.refuses, on: device)
        case .inLog: try await send(.losesReply, on: device)
        case .read: try await device.push()
        case .offline: _ = device.connection.set(.offline("the line is cut"))
        case .crashed:
            await device.finishUploads()
            try device.crash()
            side.opened = nil
            try device.open()
        case .later:
            try await device.push()
            device.advance(seconds: 20)
        }
    }

    /// As `TestDevice.reach`, and with nothing to send it does nothing. Uploads end first, so that it goes the same way each time.
    func send(_ log: GatedStore.Log, on device: TestDevice) async throws {
        try await device.pull()
        try await device.upload()
        device.cloud.setLog(log)
        defer { device.cloud.setLog(.works) }
        do { try await device.push() } catch is LogError {}
    }
}
