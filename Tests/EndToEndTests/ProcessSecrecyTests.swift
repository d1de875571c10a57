import Foundation
import MountSupport
import SystemPackage
import Testing

/// What other programs of this machine can learn of the secrets of a mount (the page Secrecy).
@Suite(.mounting, .timeLimit(.minutes(15)))
struct ProcessSecrecyTests {
    @Test(.enabled(if: geteuid() != 0, "the superuser reads everything"))
    func `attack: a program of the same user reads neither the environment nor the memory of an encrypted mount`()
        async throws
    {
        try await withDevice(.encrypted) { device in
            let process = try #require(device.processes.first)
            for name in ["environ", "mem", "maps"] {
                #expect(throws: Errno.permissionDenied) {
                    try FileDescriptor.open("/proc/\(process)/\(name)", .readOnly).close()
                }
            }
            #expect(try await device.docfs("status", device.mountpoint.string).exitStatus == 0)
        }
        try await withDevice(.plain) { device in
            let process = try #require(device.processes.first)
            try FileDescriptor.open("/proc/\(process)/environ", .readOnly).close()
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only the superuser can look"))
    func `attack: the passphrase stands in no argument and no environment of a mount in the foreground`()
        async throws
    {
        try await withUnmountedDevice(.plain) { device in
            let words = ([try DocfsBinary.path.string] + device.mountArguments + ["--encrypt", "--foreground"])
            let command = words.map { "'\($0)'" }.joined(separator: " ")
            async let ended = runShell("DOCFS_PASSPHRASE='open sesame' exec \(command)", in: device.folder)
            try await eventually { device.isMounted && (device.documents / ".state").exists }
            let process = try #require(device.processes.first)
            for name in ["environ", "cmdline"] {
                let text = String(
                    decoding: try Data(contentsOf: URL(filePath: "/proc/\(process)/\(name)")), as: UTF8.self)
                #expect(text.contains(name == "environ" ? "PATH=" : "--encrypt"))
                #expect(!text.contains("sesame"))
            }
            #expect(try device.treeState()["cloud.encrypted"] == "yes")
            device.signalProcesses(SIGTERM)
            _ = try await ended
        }
    }
}
