import ArgumentParser
import Backing
import Glibc
import Logging
import SystemPackage

/// How a mount was started, so that it can be started again.
struct RunningMount {
    /// Of `docfs`, for a mount in the background without a cloud: the store remembers that, or another one is said.
    let arguments: [String]
    private let environment: [String]

    /// - Throws: `CommandFailure` for a mount that another program runs in the foreground, and would start again by itself.
    init(_ mount: MountedTree) throws {
        guard let process = mount.process, let store = mount.store, mount.isInOwnProcessNamespace else {
            throw CommandFailure(
                "the mount at \(mount.mountpoint) does not answer, or belongs to another process namespace")
        }
        guard Processes.owner(of: process) == geteuid() else {
            throw CommandFailure("the mount at \(mount.mountpoint) is another user's; that user can do this")
        }
        let command: MountCommand
        do {
            let words = try Self.words("/proc/\(process)/cmdline")
            command = try MountCommand.parse(Array(words.drop { $0 != "mount" }.dropFirst()))
        } catch {
            throw CommandFailure(
                "the process \(process) of the mount at \(mount.mountpoint) was started in another way")
        }
        guard command.readyDescriptor != nil else {
            throw CommandFailure(
                "the mount at \(mount.mountpoint) runs in the foreground, perhaps as a service: end it, and mount once with --cloud URL "
                    + "--move-to-this-cloud --encrypt")
        }
        let options = command.options
        arguments =
            ["mount", mount.mountpoint, "--store", store, "--timeout", "\(options.timeout)"]
            + ["--log-level", options.logLevel.rawValue] + (options.allowOther ? ["--allow-other"] : [])
            + (options.nonEmpty ? ["--non-empty"] : []) + (options.notifications ? [] : ["--no-notifications"])
        environment = try Self.environment(of: process)
    }

    /// - Returns: nothing of a process that has met a key (`ProcessSecrecy`): what is set here must do then.
    private static func environment(of process: Int32) throws(CommandFailure) -> [String] {
        let path = "/proc/\(process)/environ"
        do throws(Errno) { return try words(path) } catch {
            if error == .permissionDenied { return [] }
            throw CommandFailure("\(path) cannot be read: \(error)")
        }
    }

    /// Credentials of the cloud may have been in the environment of whoever mounted. What is set here counts.
    func adoptEnvironment() {
        for variable in environment {
            guard let equals = variable.firstIndex(of: "=") else { continue }
            setenv(String(variable[..<equals]), String(variable[variable.index(after: equals)...]), 0)
        }
    }

    /// The words of a file of proc(5), each of which ends with NUL.
    private static func words(_ path: String) throws(Errno) -> [String] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Errno(rawValue: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += piece.prefix(count)
        }
        // A word may be empty: `--filename-prefix ''`.
        if bytes.last == 0 { bytes.removeLast() }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
