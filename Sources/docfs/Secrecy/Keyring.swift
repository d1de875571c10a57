import Foundation
import Glibc
import ObjectStore
import SystemPackage

/// The keyring of the desktop, through `secret-tool` of libsecret. A person puts a passphrase there with `secret-tool store`, and docfs reads it.
enum Keyring {
    /// A keyring that is locked asks its owner first.
    private static let patience = Duration.seconds(60)
    /// Milliseconds between two looks at signals that wait (`EndingSignals.hold`).
    private static let pause: Int32 = 100

    /// Blocks. It ends early when this process is to end.
    ///
    /// - Returns: nil without a desktop or `secret-tool`, and where no passphrase is kept for this container. Over ssh as well: a keyring would
    ///   ask on a screen that nobody sees.
    static func passphrase(of cloud: CloudURL) -> Passphrase? {
        guard hasDesktop else { return nil }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["secret-tool", "lookup", "service", "docfs", "cloud", cloud.text]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // Without env(1) there is no secret-tool either.
        do { try process.run() } catch { return nil }
        let line = FileDescriptor(rawValue: output.fileHandleForReading.fileDescriptor)
        guard isAnswered(line) else {
            // SIGTERM may be blocked in it.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            EndingSignals.endIfWaiting()
            return nil
        }
        // What is no passphrase is none: a person is asked.
        let passphrase = try? Passphrase.firstLine(of: line, name: "the keyring's answer")
        process.waitUntilExit()
        return process.terminationStatus == 0 ? passphrase : nil
    }

    /// For a person: the command that puts a passphrase away.
    static let storing = "secret-tool store --label docfs service docfs cloud URL"

    /// Waits until a program says something, or ends.
    private static func isAnswered(_ output: FileDescriptor) -> Bool {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end, !EndingSignals.areWaiting {
            var ready = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, pause) > 0 { return true }
        }
        return false
    }

    /// Whether there is a session bus, on which keyrings answer, before the person's eyes.
    private static var hasDesktop: Bool {
        let environment = ProcessInfo.processInfo.environment
        if environment["SSH_CONNECTION"] != nil { return false }
        if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
        return environment["XDG_RUNTIME_DIR"].map { FileManager.default.fileExists(atPath: $0 + "/bus") } ?? false
    }
}
