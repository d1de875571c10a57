import MountSupport
import SystemPackage

/// A machine of an example, with a shell in which each command begins in the folder where the last one ended.
///
/// Its home is the device's folder, so `~/docs` is the mountpoint and the store is where it is by default.
struct ExampleMachine {
    private let device: Device
    private let shared: FilePath
    private var folder: String

    /// - Parameter shared: what the examples call `$NAS`: a folder that all machines reach.
    init(_ device: Device, shared: FilePath) {
        self.device = device
        self.shared = shared
        folder = device.folder.string
    }

    /// Mounts as the page says that its examples begin.
    mutating func begin(isAlone: Bool) async throws {
        let bin = device.folder / "bin"
        try bin.makeFolder()
        try (bin / "docfs").makeSymbolicLink(to: try DocfsBinary.path.string)
        let container = isAlone ? "" : " --cloud file://$NAS/docs --device-name \(device.name)"
        let output = try await run("docfs mount ~/docs\(container) && cd ~/docs/Documents")
        guard output.contains(" has 0 documents; the cloud is "), device.isMounted else {
            throw Device.NotMounted(mountpoint: device.mountpoint)
        }
    }

    /// - Returns: what the command wrote to standard output and standard error, as a terminal shows it.
    mutating func run(_ command: String) async throws -> String {
        let whereabouts = device.folder / "folder"
        let result = try await runProgram(
            "bash", ["-c", #"cd "$FOLDER" && exec 2>&1 && eval "$COMMAND"; pwd >"$WHEREABOUTS""#],
            environment: [
                "HOME": device.folder.string, "XDG_DATA_HOME": "", "NAS": shared.string, "FOLDER": folder,
                "COMMAND": command, "WHEREABOUTS": whereabouts.string,
                "PATH": "\((device.folder / "bin").string):/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            ])
        folder = String(try whereabouts.text().dropLast())
        return result.standardOutput
    }
}

/// Runs an example on machines of its own.
struct ExampleRun {
    private var machines: [String: ExampleMachine] = [:]
    private var samples = SampleValues()

    /// - Parameter devices: one for each machine that the example names, or one alone.
    init(_ block: ConsoleBlock, on devices: [Device], shared: FilePath) async throws {
        let names = block.machines.isEmpty ? [""] : block.machines
        for (name, device) in zip(names, devices) {
            var machine = ExampleMachine(device, shared: shared)
            try await machine.begin(isAlone: block.machines.isEmpty)
            machines[name] = machine
        }
    }

    struct Unexpected: Error, CustomStringConvertible {
        let command: String
        let output: String
        let expected: [String]
        var description: String {
            "`\(command)` printed\n\(output)\ninstead of\n\(expected.joined(separator: "\n"))"
        }
    }

    /// Runs a command, again and again for some seconds where the page says "soon".
    mutating func perform(_ step: ConsoleBlock.Step) async throws {
        guard var machine = machines[step.machine ?? ""] else {
            throw Unexpected(command: step.command, output: "no machine has this prompt", expected: [])
        }
        let command = samples.filled(step.command)
        let deadline = ContinuousClock.now + .seconds(step.isRepeated ? 30 : 0)
        while true {
            let output = try await machine.run(command)
            if let samples = samples.matching(output, step.output) {
                self.samples = samples
                machines[step.machine ?? ""] = machine
                return
            }
            guard ContinuousClock.now < deadline else {
                throw Unexpected(command: command, output: output, expected: step.output)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
