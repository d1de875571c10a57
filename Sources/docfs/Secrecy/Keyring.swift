import Dispatch
import Foundation
import ObjectStore

/// The keyring of the desktop, through `secret-tool` of libsecret. A person puts a passphrase there with `secret-tool store`, and docfs reads it.
enum Keyring {
    /// A keyring that is locked asks its owner first.
    private static let patience = DispatchTimeInterval.seconds(60)

    /// - Returns: nil without a desktop or `secret-tool`, and where nothing is kept for this container.
    static func passphrase(of cloud: CloudURL) throws(CommandFailure) -> Passphrase? {
        guard hasDesktop else { return nil }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["secret-tool", "lookup"] + attributes(of: cloud)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        // Without env(1) there is no secret-tool either.
        do { try process.run() } catch { return nil }
        guard ended.wait(timeout: .now() + patience) == .success else {
            process.terminate()
            return nil
        }
        guard process.terminationStatus == 0 else { return nil }
        return try Passphrase(ofKeyring: output.fileHandleForReading.readDataToEndOfFile())
    }

    /// For a person: the command that puts a passphrase away.
    static let storing = "secret-tool store --label docfs service docfs cloud URL"

    private static func attributes(of cloud: CloudURL) -> [String] { ["service", "docfs", "cloud", cloud.text] }

    /// Whether there is a session bus, on which keyrings answer.
    private static var hasDesktop: Bool {
        let environment = ProcessInfo.processInfo.environment
        if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
        return environment["XDG_RUNTIME_DIR"].map { FileManager.default.fileExists(atPath: $0 + "/bus") } ?? false
    }
}
