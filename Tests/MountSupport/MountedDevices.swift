import Dispatch
import Foundation
import SystemPackage
import Testing

/// Mounts a device with an empty store and an empty cloud, and takes it away in all cases.
public func withDevice<Result>(
    _ options: MountOptions = MountOptions(), perform body: (Device) async throws -> Result
) async throws -> Result {
    try await withMountedDevices([("Laptop", options)]) { try await body($0[0]) }
}

/// Mounts two devices, each with its own store, that share a cloud.
public func withTwoDevices<Result>(
    _ options: MountOptions = MountOptions(), secondOptions: MountOptions? = nil,
    perform body: (_ laptop: Device, _ desktop: Device) async throws -> Result
) async throws -> Result {
    try await withMountedDevices(
        [("Laptop", options), ("Desktop", secondOptions ?? options)]
    ) { try await body($0[0], $0[1]) }
}

/// A device that is not mounted yet, for tests of `mount` itself.
public func withUnmountedDevice<Result>(
    _ options: MountOptions = MountOptions(), perform body: (Device) async throws -> Result
) async throws -> Result {
    try await withDevices([("Laptop", options)]) { try await body($0[0]) }
}

/// Devices that are not mounted yet and share a cloud.
public func withUnmountedDevices<Result>(
    _ names: [String], perform body: ([Device]) async throws -> Result
) async throws -> Result {
    try await withDevices(names.map { ($0, MountOptions()) }, perform: body)
}

/// Mounts devices, each with its own store, and takes them away in all cases.
///
/// - Parameter limit: after this time they are killed, and the connections of their mounts aborted.
public func withMountedDevices<Result>(
    _ members: [(name: String, options: MountOptions)], limit: DispatchTimeInterval = .seconds(600),
    perform body: ([Device]) async throws -> Result
) async throws -> Result {
    try await withDevices(members, limit: limit) { devices in
        for device in devices { try await device.mount() }
        return try await body(devices)
    }
}

/// Devices that are not mounted yet and share a cloud. Takes them away in all cases.
func withDevices<Result>(
    _ members: [(name: String, options: MountOptions)], limit: DispatchTimeInterval = .seconds(600),
    perform body: ([Device]) async throws -> Result
) async throws -> Result {
    let folder = try FilePath.makeTemporaryFolder()
    let cloudDirectory = CloudDirectory(path: folder / "container")
    try cloudDirectory.path.makeFolder()
    let devices = try members.map {
        try Device(name: $0.name, in: folder, cloudDirectory: cloudDirectory, options: $0.options)
    }
    // Sooner than the time limit of the test: with the mount gone, what hangs returns an error.
    let watchdog = Watchdog(after: limit) {
        Issue.record("the mounts were taken away: the test had not ended when its time was up")
        for device in devices {
            device.killProcesses()
            device.abortConnection()
        }
    }
    func dismantle() async {
        watchdog.callOff()
        // A task of its own, since a test that ran out of time is cancelled and starts no programs.
        await Task {
            for device in devices { await device.dismantle() }
            // Never across a mount that would not go.
            _ = try? await runProgram("rm", ["-rf", "--one-file-system", folder.string])
        }.value
    }
    do {
        let result = try await onThreadsOfItsOwn { try await body(devices) }
        await dismantle()
        return result
    } catch {
        for device in devices { Issue.record("\(device.name) says: \(await device.account)") }
        await dismantle()
        throw error
    }
}

extension Device {
    /// What is known of it when a test has failed, in one line: whether it serves, and its state without the keys that say nothing.
    fileprivate var account: String {
        get async {
            if processes.isEmpty { return "no process serves \(mountpoint)" }
            // A mount that hangs is asked by a program that can be given up.
            let answer = try? await runProgram("timeout", ["-k", "1", "10", "cat", (documents / ".state").string])
            guard let answer, answer.exitStatus == 0 else { return "its state cannot be read" }
            return Self.account(of: answer.standardOutput)
        }
    }

    private static func account(of state: String) -> String {
        let lines = state.split(separator: "\n").filter { line in
            !["-", "0", "no"].contains { line.hasSuffix(": \($0)") }
        }
        return lines.joined(separator: ", ")
    }
}

extension FilePath {
    /// A new folder, which the caller removes.
    public static func makeTemporaryFolder() throws -> FilePath {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let folder = FilePath(parent) / "docfs-\(UUID().uuidString.prefix(8))"
        try folder.makeFolder()
        return folder
    }
}
