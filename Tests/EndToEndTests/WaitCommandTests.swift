import MountSupport
import SystemPackage
import Testing

/// `docfs wait` (Semantics, "The command").
@Suite(.mounting, .timeLimit(.minutes(15)))
struct WaitCommandTests {
    @Test func `wait returns when everything pending is in the cloud`() async throws {
        try await withDevice { device in
            for number in 0..<20 { try (device.cloud / "Document \(number).txt").create("text \(number)") }
            let result = try await device.docfs("wait", device.mountpoint.string)
            #expect(result.exitStatus == 0, "\(result.standardError)")
            for number in 0..<20 {
                #expect(try (device.cloud / "Document \(number).txt").state()["uploading"] == "uploaded")
            }
            #expect(try device.treeState()["cloud.pending"] == "0")
            #expect(try await device.docfs("wait", "--timeout", "0", device.mountpoint.string).exitStatus == 0)
        }
    }

    @Test func `without a connection wait says so, and ends with 1 when the time is up`() async throws {
        try await withDevice { device in
            try device.cloudDirectory.disconnect()
            try (device.cloud / "Plan.txt").create("plan")
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            let result = try await device.docfs("wait", "--timeout", "5", device.mountpoint.string)
            #expect(result.exitStatus == 1)
            let lines = result.standardError.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains("waiting for the connection, with 1 change still to send") == true)
            #expect(lines.last == "docfs: the time is up, with 1 change still to send; the cloud cannot be reached")
        }
    }

    @Test func `on a terminal wait shows a bar`() async throws {
        try await withDevice { device in
            try device.cloudDirectory.disconnect()
            try (device.cloud / "Plan.txt").create("plan")
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            let shown = try await device.terminal("wait --timeout 5", columns: 80, exitStatus: 1)
            let bar = String(repeating: "░", count: 10)
            #expect(shown.contains("\rsending, 1 change left, \u{1b}[2m\(bar)\u{1b}[0m 0 B of 4 B"), "\(shown)")
        }
    }

    @Test func `wait goes on when the connection returns`() async throws {
        try await withDevice { device in
            try device.cloudDirectory.disconnect()
            try (device.cloud / "Plan.txt").create("plan")
            try await eventually { try device.treeState()["cloud.connection"] == "offline" }
            async let result = device.docfs("wait", device.mountpoint.string)
            try await Task.sleep(for: .milliseconds(300))
            try device.cloudDirectory.reconnect()
            #expect(try await result.exitStatus == 0)
            #expect(try (device.cloud / "Plan.txt").state()["uploading"] == "uploaded")
        }
    }
}
