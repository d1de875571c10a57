import Dispatch
import Foundation

/// The desktop's own program for a file.
enum DesktopProgram {
    /// So long a program may take to say that it opens nothing. Most have ended before: they pass the file to a program that runs.
    private static let patience = DispatchTimeInterval.seconds(5)

    /// - Parameter name: for a person.
    static func open(_ path: String, called name: String) throws(CommandFailure) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["xdg-open", path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        do { try process.run() } catch { throw CommandFailure("\(name): xdg-open cannot be run: \(error)") }
        guard ended.wait(timeout: .now() + patience) == .success, process.terminationStatus != 0 else { return }
        throw CommandFailure(
            "\(name): no program of this desktop opens it (xdg-open ended with \(process.terminationStatus))")
    }
}
