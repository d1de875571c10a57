import Ciphers
import CLinux
import Foundation
import Glibc
import ObjectStore

/// The keyring of the desktop, through `secret-tool` of libsecret. A person puts a passphrase there with `secret-tool store`, and docfs reads it.
enum Keyring {
    /// Seconds. A keyring that is locked asks its owner first.
    private static let patience = 60.0
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
        var line = firstLine(of: output.fileHandleForReading.fileDescriptor)
        defer { line?.overwrite() }
        // It has ended, or waits for somebody. SIGTERM may be blocked in it.
        if line == nil {
            kill(process.processIdentifier, SIGKILL)
            EndingSignals.endIfWaiting()
        }
        process.waitUntilExit()
        guard let line, process.terminationStatus == 0 else { return nil }
        return try? Passphrase(ofKeyring: line)
    }

    /// For a person: the command that puts a passphrase away.
    static let storing = "secret-tool store --label docfs service docfs cloud URL"

    /// - Returns: nil where the output does not end in time, or is none of a passphrase.
    private static func firstLine(of output: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(2 * Passphrase.longest)
        let end = ContinuousClock.now + .seconds(patience)
        while ContinuousClock.now < end, !EndingSignals.areWaiting {
            var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, pause) <= 0 { continue }
            var piece = [UInt8](repeating: 0, count: 1024)
            let count = read(output, &piece, piece.count)
            line += piece.prefix(max(0, count))
            piece.overwrite()
            if count == 0 { return line }
            if count < 0 && errno != EINTR || line.count > Passphrase.longest { break }
        }
        line.overwrite()
        return nil
    }

    /// Whether there is a session bus, on which keyrings answer, before the person's eyes.
    private static var hasDesktop: Bool {
        let environment = ProcessInfo.processInfo.environment
        if environment["SSH_CONNECTION"] != nil { return false }
        if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
        return environment["XDG_RUNTIME_DIR"].map { FileManager.default.fileExists(atPath: $0 + "/bus") } ?? false
    }
}
