import Foundation
import MountSupport
import SystemPackage
import Testing

/// `docfs devices`: who writes to an encrypted container (the page Secrecy, "Devices").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct DevicesCommandTests {
    private struct Listed: Decodable {
        let id: String, name: String, joined: String, wrote: String, isThisDevice: Bool
    }

    private func list(_ device: Device) async throws -> [Listed] {
        let result = try await device.docfs("devices", device.mountpoint.string, "--json")
        #expect(result.exitStatus == 0, "\(result)")
        return try JSONDecoder().decode([Listed].self, from: Data(result.standardOutput.utf8))
    }

    private func remove(_ name: String, on device: Device, passphrase: String) async throws -> ProgramResult {
        let file = device.folder / "new-passphrase"
        try file.write(passphrase + "\n")
        return try await device.docfs(
            "devices", "remove", name, device.mountpoint.string, "--passphrase-file", file.string)
    }

    @Test func `a device that was lost is removed, says so, and joins again with the new passphrase`() async throws {
        try await withUnmountedDevices(["Laptop", "Phone"]) { devices in
            let (laptop, phone) = (devices[0], devices[1])
            let url = laptop.cloudDirectory.url
            let made = try await laptop.mountEncrypted(
                "--cloud", url, "--encrypt", "--device-name", "Laptop", passphrase: "old secret")
            #expect(made.exitStatus == 0, "\(made)")
            let joined = try await phone.mountEncrypted(
                "--cloud", url, "--device-name", "Lost phone", passphrase: "old secret")
            #expect(joined.exitStatus == 0, "\(joined)")
            try (laptop.cloud / "Plan.txt").create("plan")
            try await eventually { try (phone.cloud / "Plan.txt").text() == "plan" }
            // The phone has nothing to send.
            try await eventually { try await list(laptop).map(\.name) == ["Laptop", "Lost phone"] }
            #expect(try await list(laptop).map(\.isThisDevice) == [true, false])
            #expect(try await list(phone).map(\.isThisDevice) == [false, true])
            let table = try await laptop.docfs("devices", laptop.mountpoint.string)
            #expect(table.standardOutput.split(separator: "\n").count == 2, "\(table)")

            let removed = try await remove("Lost phone", on: laptop, passphrase: "new secret")
            #expect(
                removed.exitStatus == 0 && removed.standardOutput.contains("“Lost phone” was removed"), "\(removed)")
            #expect(try removed.recoveryKey != made.recoveryKey)
            #expect(try await list(laptop).map(\.name) == ["Laptop"])
            try (laptop.cloud / "Diary.txt").create("dear diary")
            try await laptop.waitUntilUploaded(laptop.cloud / "Diary.txt")
            try (phone.cloud / "Junk.txt").create("junk")
            try await eventually {
                try phone.treeState()["cloud.connection"]?.contains("this device was removed") == true
            }
            #expect(try phone.treeState()["cloud.connection"]?.contains("on 'Laptop'") == true)
            #expect(!(phone.cloud / "Diary.txt").exists && !(laptop.cloud / "Junk.txt").exists)

            let file = phone.folder / "new-passphrase"
            try file.write("new secret\n")
            let again = try await phone.docfs("key", phone.mountpoint.string, "--passphrase-file", file.string)
            #expect(again.exitStatus == 0, "\(again)")
            try await eventually {
                try (phone.cloud / "Diary.txt").text() == "dear diary" && (laptop.cloud / "Junk.txt").text() == "junk"
            }
            #expect(try await list(laptop).map(\.name) == ["Laptop", "Lost phone"])
        }
    }

    @Test func `what stands in the way of a removal is said in one line`() async throws {
        try await withUnmountedDevices(["Laptop", "Phone", "Tablet"]) { devices in
            let laptop = devices[0]
            let url = laptop.cloudDirectory.url
            for (device, name) in zip(devices, ["Laptop", "Twin", "Twin"]) {
                let mounted = try await device.mountEncrypted(
                    "--cloud", url, "--encrypt", "--device-name", name, passphrase: "secret")
                #expect(mounted.exitStatus == 0, "\(mounted)")
            }
            try await eventually { try await list(laptop).count == 3 }
            for (name, reason) in [
                ("Nobody", "no device of the container is called “Nobody”"),
                ("Laptop", "“Laptop” is this device"), ("Twin", "2 devices are called “Twin”"),
            ] {
                let refused = try await remove(name, on: laptop, passphrase: "new secret")
                #expect(refused.exitStatus == 1 && refused.oneErrorLine?.contains(reason) == true, "\(refused)")
            }
            let twin = try #require(try await list(laptop).last)
            let same = try await remove(twin.id, on: laptop, passphrase: "secret")
            #expect(same.exitStatus == 1 && same.oneErrorLine?.contains("the passphrase of now") == true, "\(same)")
            #expect(try await list(laptop).count == 3)
            let removed = try await remove(twin.id, on: laptop, passphrase: "new secret")
            #expect(removed.exitStatus == 0, "\(removed)")
            #expect(try await list(laptop).map(\.name) == ["Laptop", "Twin"])
        }
        try await withDevice(.plain) { device in
            let refused = try await device.docfs("devices", device.mountpoint.string)
            #expect(refused.exitStatus == 1 && refused.oneErrorLine?.contains("is not encrypted") == true, "\(refused)")
        }
    }
}
