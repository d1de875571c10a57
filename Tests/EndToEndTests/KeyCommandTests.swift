import Foundation
import MountSupport
import SystemPackage
import Testing

/// `docfs key`: a container whose key is changed (the page Secrecy, "A new key").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct KeyCommandTests {
    private func key(_ device: Device, _ options: String..., passphrase: String? = nil) async throws -> ProgramResult {
        var arguments = ["key", device.mountpoint.string] + options
        if let passphrase {
            let file = device.folder / "new-passphrase"
            try file.write(passphrase + "\n")
            arguments += ["--passphrase-file", file.string]
        }
        return try await runProgram(try DocfsBinary.path.string, arguments, in: device.folder)
    }

    @Test func `a new key shuts out who has the former one, and the other devices go on with the new passphrase`()
        async throws
    {
        try await withUnmountedDevices(["Laptop", "Desktop", "Phone", "Lost"]) { devices in
            let (laptop, desktop, phone, lost) = (devices[0], devices[1], devices[2], devices[3])
            let url = laptop.cloudDirectory.url
            let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "old secret")
            for device in [desktop, lost] {
                #expect(try await device.mountEncrypted("--cloud", url, passphrase: "old secret").exitStatus == 0)
            }
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            for device in [desktop, lost] {
                try await eventually { try (device.cloud / "Plan.txt").text() == "plan" }
            }
            try await lost.unmount()

            let changed = try await key(laptop, "--rotate", passphrase: "new secret")
            #expect(changed.exitStatus == 0 && changed.standardOutput.contains("docfs key"), "\(changed)")
            #expect(try changed.recoveryKey != made.recoveryKey)
            try (laptop.cloud / "Diary.txt").create("dear diary")
            try await laptop.waitUntilUploaded(laptop.cloud / "Diary.txt")

            // The desktop says so, keeps what it has, and goes on when it has the passphrase.
            try await eventually {
                try desktop.treeState()["cloud.connection"]?.contains("was changed on") == true
            }
            #expect(try (desktop.cloud / "Plan.txt").text() == "plan")
            try (desktop.cloud / "Note.txt").create("note")
            let wrong = try await key(desktop, passphrase: "old secret")
            #expect(wrong.exitStatus == 1 && wrong.oneErrorLine?.contains("neither the passphrase") == true, "\(wrong)")
            let taken = try await key(desktop, passphrase: "new secret")
            #expect(taken.exitStatus == 0 && taken.standardError.isEmpty, "\(taken)")
            try await eventually { try (desktop.cloud / "Diary.txt").text() == "dear diary" }
            try await eventually { try (laptop.cloud / "Note.txt").text() == "note" }

            // Who found the lost one is told, and sees nothing of what came since.
            let found = try await lost.mountEncrypted()
            #expect(found.exitStatus == 0, "\(found)")
            try await eventually { try lost.treeState()["cloud.connection"]?.contains("was changed") == true }
            #expect(!(lost.cloud / "Diary.txt").exists)
            try (lost.cloud / "Junk.txt").create("junk")
            // It was unmounted, and is mounted again by its owner.
            try await lost.unmount()
            #expect(try await lost.mountEncrypted(passphrase: "old secret").exitStatus == 0)
            try await eventually { try lost.treeState()["cloud.connection"]?.contains("was changed") == true }
            #expect(try (lost.cloud / "Plan.txt").text() == "plan")
            try await lost.unmount()
            #expect(try await lost.mountEncrypted(passphrase: "new secret").exitStatus == 0)
            try await eventually { (laptop.cloud / "Junk.txt").exists && (lost.cloud / "Diary.txt").exists }

            for secret in ["old secret", try made.recoveryKey] {
                #expect(try await phone.mountEncrypted("--cloud", url, passphrase: secret).exitStatus == 1)
            }
            #expect(try await phone.mountEncrypted("--cloud", url, passphrase: changed.recoveryKey).exitStatus == 0)
            try await eventually {
                try (phone.cloud / "Plan.txt").text() == "plan" && (phone.cloud / "Diary.txt").text() == "dear diary"
            }
            for device in devices {
                let checked = try await device.docfs("check", "--repair", device.mountpoint.string)
                #expect(checked.exitStatus == 0 && checked.standardOutput.contains("ok: 4 documents"), "\(checked)")
            }
        }
    }

    @Test func `a device that was away for several changes needs the passphrase of now only`() async throws {
        try await withUnmountedDevices(["Laptop", "Desktop"]) { devices in
            let (laptop, desktop) = (devices[0], devices[1])
            let url = laptop.cloudDirectory.url
            #expect(try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "first").exitStatus == 0)
            #expect(try await desktop.mountEncrypted("--cloud", url, passphrase: "first").exitStatus == 0)
            try await desktop.unmount()
            for passphrase in ["second", "third"] {
                let changed = try await key(laptop, "--rotate", passphrase: passphrase)
                #expect(changed.exitStatus == 0, "\(changed)")
                try (laptop.cloud / "After \(passphrase).txt").create(passphrase)
            }
            let file = laptop.folder / "fourth"
            try file.write("fourth\n")
            let renamed = try await laptop.docfs(
                "passphrase", laptop.mountpoint.string, "--passphrase-file", file.string)
            #expect(renamed.exitStatus == 0, "\(renamed)")
            try await laptop.waitUntilUploaded(laptop.cloud / "After third.txt")
            let again = try await key(laptop, "--rotate", passphrase: "fourth")
            #expect(again.exitStatus == 1 && again.oneErrorLine?.contains("the passphrase of now") == true, "\(again)")

            #expect(try await desktop.mountEncrypted().exitStatus == 0)
            try await eventually {
                try desktop.treeState()["cloud.connection"]?.contains("was changed on") == true
            }
            let refused = try await key(desktop, "--rotate", passphrase: "fifth")
            #expect(
                refused.exitStatus == 1 && refused.oneErrorLine?.contains("on another device") == true, "\(refused)")
            let taken = try await key(desktop, passphrase: "fourth")
            #expect(taken.exitStatus == 0, "\(taken)")
            for passphrase in ["second", "third"] {
                try await eventually { try (desktop.cloud / "After \(passphrase).txt").text() == passphrase }
            }
            try (desktop.cloud / "Answer.txt").create("answer")
            try await eventually { try (laptop.cloud / "Answer.txt").text() == "answer" }
        }
    }

    @Test func `what stands in the way of a new key is said in one line`() async throws {
        try await withDevice(.encrypted) { device in
            let same = try await key(device, "--rotate", passphrase: MountOptions.passphrase)
            #expect(same.exitStatus == 1 && same.oneErrorLine?.contains("the passphrase of now") == true, "\(same)")
            let untold = try await runProgram(
                "setsid", ["--wait", try DocfsBinary.path.string, "key", "--rotate", device.mountpoint.string])
            #expect(
                untold.exitStatus == 1 && untold.oneErrorLine?.contains("--passphrase-file") == true, "\(untold)")
            let idle = try await key(device)
            #expect(idle.exitStatus == 0 && idle.standardOutput.contains("has the container's key"), "\(idle)")
            #expect(try device.treeState()["cloud.connection"] == "online")
        }
        try await withDevice(.plain) { device in
            let refused = try await key(device, "--rotate", passphrase: "secret")
            #expect(refused.exitStatus == 1 && refused.oneErrorLine?.contains("is not encrypted") == true, "\(refused)")
        }
    }
}
