import Foundation
import Glibc
import SystemPackage
import Testing

/// One docfs device: a mountpoint, a store of its own, and a cloud directory that it may share.
///
/// It remembers nothing but paths. Whether it is mounted, and by which process, the kernel is asked
/// each time, so that a test may kill and mount as it likes.
public struct Device: Sendable {
    public let name: String
    public let folder: FilePath
    public let cloudDirectory: CloudDirectory
    public let options: MountOptions

    public let mountpoint: FilePath
    public let store: FilePath

    public let documents: FilePath
    public let local: FilePath
    public let cloud: FilePath

    /// Where the store keeps the content of documents, as plain files.
    public var storedLocal: FilePath { store / "local" }
    public var storedCloud: FilePath { store / "cloud" }

    public init(name: String, in parent: FilePath, cloudDirectory: CloudDirectory, options: MountOptions)
        throws
    {
        self.name = name
        self.cloudDirectory = cloudDirectory
        self.options = options
        folder = parent / name
        mountpoint = folder / "docs"
        store = folder / "store"
        documents = mountpoint / "Documents"
        local = documents / "local"
        cloud = documents / "cloud"
        try folder.makeFolder()
        try mountpoint.makeFolder()
    }

    public struct NotMounted: Error, CustomStringConvertible {
        public let mountpoint: FilePath

        public init(mountpoint: FilePath) { self.mountpoint = mountpoint }

        public var description: String { "no docfs serves \(mountpoint)" }
    }

    // MARK: Mounting

    public var mountArguments: [String] {
        [
            "mount", mountpoint.string, "--store", store.string, "--cloud", options.cloudURL ?? cloudDirectory.url,
            "--device-name", name,
        ] + options.arguments
    }

    public func mount() async throws {
        let result = try await attemptMount(mountArguments)
        guard result.exitStatus == 0 else {
            throw ProgramFailed(command: "docfs mount", result: result)
        }
        // Without these, tests of what survives a mount would pass on a plain folder.
        guard isMounted, !processes.isEmpty else { throw NotMounted(mountpoint: mountpoint) }
    }

    /// Runs `docfs mount ...` with its output in files: a daemon that kept its standard error
    /// would hold a pipe open, and the test with it.
    public func attemptMount(_ arguments: [String]) async throws -> ProgramResult {
        let output = folder / "mount.output"
        let errors = folder / "mount.errors"
        var result = try await runProgram(
            "sh",
            ["-c", #"exec "$0" "$@" >"$OUTPUT" 2>"$ERRORS""#, try DocfsBinary.path.string]
                + arguments,
            environment: options.variables.merging(
                ["OUTPUT": output.string, "ERRORS": errors.string]) { $1 })
        result.standardOutput = try output.text()
        result.standardError = try errors.text()
        return result
    }

    public func unmount() async throws {
        let result = try await docfs("unmount", mountpoint.string)
        // Beside other work the end may take longer than `unmount` waits for it.
        guard result.exitStatus == 0 || result.standardError.contains("has not ended within 5 seconds") else {
            throw ProgramFailed(command: "docfs unmount", result: result)
        }
        try await waitUntilGone()
    }

    public func remount() async throws {
        try await unmount()
        try await mount()
    }

    /// Ends docfs as a crash would, and clears the dead mount away.
    public func crash() async throws {
        guard !processes.isEmpty else { throw NotMounted(mountpoint: mountpoint) }
        killProcesses()
        try await waitUntilGone()
        try await clearDeadMount()
    }

    /// Waits until no docfs serves the mountpoint and none holds the store: a process that is ending has no arguments any more, and may have
    /// the store's lock still.
    public func waitUntilGone() async throws {
        try await eventually { processes.isEmpty && storeIsFree }
    }

    private var storeIsFree: Bool {
        guard let lock = try? FileDescriptor.open(store / "lock", .readOnly, options: .closeOnExec) else { return true }
        defer { try? lock.close() }
        return flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0
    }

    /// The docfs processes that serve this mountpoint, by their arguments.
    public var processes: [pid_t] {
        let mountpoint = mountpoint.string
        return ProcFile.processes().filter { number in
            guard let line = ProcFile("/proc/\(number)/cmdline"), line.contains(mountpoint) else { return false }
            let arguments = line.fields(separatedBy: "\0")
            return arguments.count > 2 && (arguments[0] == "docfs" || arguments[0].hasSuffix("/docfs"))
                && arguments[1] == "mount" && arguments.contains(mountpoint)
        }
    }

    public func killProcesses() { signalProcesses(SIGKILL) }

    public func signalProcesses(_ signal: CInt) {
        for process in processes { kill(process, signal) }
    }

    public var isMounted: Bool { mountFields != nil }

    /// The line of this mount in /proc/self/mountinfo, which never waits for a mount.
    private var mountFields: [Substring]? {
        let mountpoint = mountpoint.string
        guard let mounts = ProcFile("/proc/self/mountinfo"), mounts.contains(mountpoint) else { return nil }
        return mounts.fields(separatedBy: "\n").map { $0.split(separator: " ") }.first {
            $0.count > 4 && $0[4] == mountpoint[...]
        }
    }

    /// Lets every system call on the mount return with an error, even if docfs cannot be killed.
    public func abortConnection() {
        guard let number = mountFields?[2].split(separator: ":").last else { return }
        // `try?`: the connection may have ended already.
        try? FilePath("/sys/fs/fuse/connections/\(number)/abort").append("1")
    }

    public func clearDeadMount() async throws {
        guard isMounted else { return }
        _ = try await runProgram("fusermount3", ["-uz", mountpoint.string])
    }

    /// Takes the mount away whatever state it is in.
    public func dismantle() async {
        if !processes.isEmpty, let binary = try? DocfsBinary.path {
            _ = try? await runProgram(
                "timeout", ["15", binary.string, "unmount", mountpoint.string])
        }
        try? await eventually(within: .seconds(5)) { processes.isEmpty }
        killProcesses()
        try? await eventually { processes.isEmpty }
        try? await clearDeadMount()
    }

    // MARK: Programs

    @discardableResult
    public func docfs(_ arguments: String...) async throws -> ProgramResult {
        try await runProgram(
            try DocfsBinary.path.string, arguments, in: folder, environment: options.environment)
    }

    /// Runs a script with `Documents` as its working directory, so that it may say `local/a.txt`.
    @discardableResult
    public func shell(
        _ script: String, environment: [String: String] = [:], exitStatus: Int32 = 0
    ) async throws -> ProgramResult {
        try await runShell(
            script, in: documents, environment: environment, exitStatus: exitStatus)
    }
}
