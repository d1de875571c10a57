import Foundation
import MountSupport
import SystemPackage
import Testing
import TestSupport

/// `docfs encrypt`: the documents of a plain container go to a new one that its keeper cannot read.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct EncryptCommandTests {
    private func encrypt(_ device: Device, _ options: String...) async throws -> ProgramResult {
        let file = device.folder / "passphrase"
        try file.write("secret\n")
        return try await runProgram(
            "setsid",
            [
                "--wait", try DocfsBinary.path.string, "encrypt", device.mountpoint.string, "--passphrase-file",
                file.string,
            ]
                + options, in: device.folder, environment: device.options.environment)
    }

    /// All files of a container, by their paths in it.
    private func contents(of container: FilePath) throws -> [String: Data] {
        let paths = FileManager.default.enumerator(atPath: container.string)?.compactMap { $0 as? String } ?? []
        var contents: [String: Data] = [:]
        for path in paths {
            let url = URL(filePath: "\(container)/\(path)")
            if try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                contents[path] = try Data(contentsOf: url)
            }
        }
        return contents
    }

    @Test func `all that is here and in the cloud goes to an encrypted container beside the old one, which stays`()
        async throws
    {
        try await withTwoDevices(.plain) { laptop, desktop in
            try await laptop.shell("mkdir cloud/Taxes && echo 'my salary' > cloud/Taxes/'Income 2026.txt'")
            try await laptop.shell("echo 'a plan' > cloud/Plan.txt; echo local > local/Here.txt")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            try await laptop.waitUntilUploaded(laptop.cloud / "Taxes/Income 2026.txt")
            let (plan, taxes) = (desktop.cloud / "Plan.txt", desktop.cloud / "Taxes/Income 2026.txt")
            try await eventually { plan.exists && taxes.exists }
            // Neither is here yet.
            #expect(try plan.attribute("user.document.downloading") == "notDownloaded")
            try await laptop.unmount()
            let former = try contents(of: desktop.cloudDirectory.path)

            let moved = try await encrypt(desktop)
            #expect(moved.exitStatus == 0, "\(moved)")
            #expect(moved.standardOutput.contains("recovery key"))
            #expect(moved.standardOutput.contains("is left as it is"))
            let new = FilePath(desktop.cloudDirectory.path.string + "-encrypted")
            #expect(try desktop.treeState()["cloud.encrypted"] == "yes")
            #expect(try desktop.treeState()["cloud.url"] == "file://\(new)")
            #expect(try taxes.text() == "my salary\n")
            #expect(try desktop.treeState()["device"] == "Desktop")
            for word in ["salary", "Income", "a plan", "Desktop"] {
                let kept = try contents(of: new)
                #expect(!kept.values.contains { $0.firstRange(of: Data(word.utf8)) != nil }, "\(word)")
            }
            #expect(try contents(of: desktop.cloudDirectory.path) == former)
            #expect(try await desktop.docfs("check", desktop.mountpoint.string).exitStatus == 0)

            // The other device goes over with the passphrase.
            let over = try await laptop.attemptMount([
                "mount", laptop.mountpoint.string, "--store", laptop.store.string, "--cloud", "file://\(new)",
                "--move-to-this-cloud", "--passphrase-file", (desktop.folder / "passphrase").string,
            ])
            #expect(over.exitStatus == 0, "\(over)")
            #expect(try await laptop.docfs("wait", laptop.mountpoint.string).exitStatus == 0)
            try await desktop.shell("echo 'a new plan' > cloud/Plan.txt")
            try await eventually { try (laptop.cloud / "Plan.txt").text() == "a new plan\n" }
            #expect(try (laptop.local / "Here.txt").text() == "local\n")

            let again = try await encrypt(desktop)
            #expect(again.exitStatus == 0 && again.standardOutput.contains("is encrypted already"), "\(again)")
        }
    }

    @Test func `what stands in the way is said in one line, and the mount goes on as before`() async throws {
        try await withDevice(.plain) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            let open = try FileDescriptor.open(device.cloud / "Plan.txt", .readOnly)
            let inUse = try await encrypt(device)
            try open.close()
            #expect(
                inUse.exitStatus == 1 && inUse.oneErrorLine?.contains("a program uses the mount") == true, "\(inUse)")
            #expect(try (device.cloud / "Plan.txt").text() == "plan")

            let same = try await encrypt(device, "--to", device.cloudDirectory.url)
            #expect(same.exitStatus == 1 && same.oneErrorLine?.contains("is not encrypted") == true, "\(same)")

            let inside = try await encrypt(device, "--to", device.cloudDirectory.url + "/inside")
            #expect(inside.exitStatus == 1 && inside.oneErrorLine?.contains("say another place") == true, "\(inside)")
            #expect(!(device.cloudDirectory.path / "inside").exists)

            // A place where nothing can be made: the mount comes back as it was.
            try (device.folder / "file").write("no folder")
            let nowhere = try await encrypt(device, "--to", "file://\(device.folder)/file/container")
            #expect(
                nowhere.exitStatus == 1 && nowhere.oneErrorLine?.contains("cannot be made: Not a directory") == true,
                "\(nowhere)")
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
            #expect(try device.treeState()["cloud.url"] == device.cloudDirectory.url)
            #expect(try device.treeState()["cloud.encrypted"] == nil)

            let untold = try await runProgram(
                "setsid", ["--wait", try DocfsBinary.path.string, "encrypt", device.mountpoint.string])
            #expect(untold.exitStatus == 1 && untold.oneErrorLine?.contains("passphrase") == true, "\(untold)")
        }
    }

    @Test func `a document in conflict is to be decided before`() async throws {
        try await withTwoDevices(.plain) { laptop, desktop in
            let (here, there) = (laptop.cloud / "Plan.txt", desktop.cloud / "Plan.txt")
            try here.create("plan\n")
            try await eventually { try there.text() == "plan\n" }
            try laptop.cloudDirectory.disconnect()
            try here.append("laptop\n")
            try there.append("desktop\n")
            try laptop.cloudDirectory.reconnect()
            try await eventually { try here.state()["conflicts"] == "1" }
            let refused = try await encrypt(laptop)
            #expect(
                refused.exitStatus == 1 && refused.oneErrorLine?.contains("1 document") == true
                    && refused.oneErrorLine?.contains("docfs resolve") == true, "\(refused)")
            #expect(!FilePath(laptop.cloudDirectory.path.string + "-encrypted").exists)
        }
    }

    @Test func `an encryption that was interrupted goes on where it was`() async throws {
        try await withDevice(.plain) { device in
            for number in 1...40 { try (device.cloud / "\(number).txt").create("text \(number)") }
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            // At different moments: before, while and after the documents are sent.
            for milliseconds in [50, 300, 700] {
                let file = device.folder / "passphrase"
                try file.write("secret\n")
                _ = try await runShell(
                    "timeout --foreground -s KILL \(Double(milliseconds) / 1000) '\(try DocfsBinary.path)' encrypt '\(device.mountpoint)' --passphrase-file '\(file)' || true",
                    in: device.folder)
            }
            // A person says it again. Between the end of the one mount and the begin of the other there is none: they mount before.
            try await eventually {
                if device.processes.isEmpty {
                    _ = try await device.attemptMount([
                        "mount", device.mountpoint.string, "--store", device.store.string, "--no-notifications",
                    ])
                }
                // The mount may be ending still, or not be there yet.
                return try await encrypt(device).exitStatus == 0 && (device.cloud / "40.txt").text() == "text 40"
            }
            #expect(try device.treeState()["cloud.encrypted"] == "yes")
            for number in 1...40 { #expect(try (device.cloud / "\(number).txt").text() == "text \(number)") }
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }

    @Test func `whoever ends it while it mounts again is left with the mount`() async throws {
        try await withDevice(.plain) { device in
            try (device.cloud / "Plan.txt").create("plan")
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            let file = device.folder / "passphrase"
            try file.write("secret\n")
            // The new mount is held before it is ready, until nobody waits for it.
            try await runShell(
                """
                '\(try DocfsBinary.path)' encrypt '\(device.mountpoint)' --passphrase-file '\(file)' >/dev/null & encrypting=$!
                until mount=$(pgrep -f '\(device.mountpoint) .*--move-to-this-clou[d]'); do kill -0 $encrypting; done
                kill -STOP $mount
                kill -KILL $encrypting
                wait $encrypting || true
                kill -CONT $mount
                """)
            try await eventually { try device.treeState()["cloud.encrypted"] == "yes" }
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            for isTold in [true, false] {
                let again = try await encrypt(device)
                #expect(again.standardOutput.contains("encrypted already"), "\(again)")
                #expect(again.standardOutput.contains("recovery key") == isTold, "\(again)")
            }
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
        }
    }
}
