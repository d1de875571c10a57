import Glibc
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// Messages of a mount to the desktop. A program that is called as notify-send writes down what it is told.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct DesktopNoticeTests {
    @Test func `a conflict is told on the desktop, with the document's name`() async throws {
        try await withTemporaryFolder { path in
            let folder = FilePath(path)
            try (folder / "notify-send").create("#!/bin/sh\nprintf '%s\\n' \"$@\" >>\(path)/told\n")
            try await runShell("chmod +x notify-send", in: folder)
            var options = MountOptions(environment: [
                "PATH": "\(path):\(String(cString: getenv("PATH")))",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/bus",
            ])
            options.notifies = true
            try await withTwoDevices(options, secondOptions: MountOptions()) { laptop, desktop in
                let (here, there) = (laptop.cloud / "Plan <1>.txt", desktop.cloud / "Plan <1>.txt")
                try here.create("plan")
                try await eventually { there.exists }
                #expect(try there.text() == "plan")
                try await desktop.waitUntilHere(there)
                try laptop.cloudDirectory.disconnect()
                for document in [here, there] { try document.append(document.string) }
                try laptop.cloudDirectory.reconnect()
                let told = folder / "told"
                try await eventually { try told.exists && told.text().contains("“Plan <1>” is in conflict\n") }
                #expect(try told.text().hasPrefix("--app-name=docfs\n--\n"))
                #expect(try told.text().contains("docfs resolve"))
            }
        }
    }
}
