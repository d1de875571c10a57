import Foundation
import MountSupport
import SystemPackage
import Testing

/// Containers that their keeper cannot read (the page Secrecy).
@Suite(.mounting, .timeLimit(.minutes(15)))
struct EncryptedContainerTests {
    /// Where there is no terminal to ask on.
    private func mountWithoutTerminal(_ device: Device, _ options: String...) async throws -> ProgramResult {
        let arguments =
            ["mount", device.mountpoint.string, "--store", device.store.string, "--no-notifications"] + options
        return try await runProgram("setsid", ["--wait", try DocfsBinary.path.string] + arguments)
    }

    /// All files of the container: their paths below it, and their bytes.
    private func kept(_ container: FilePath) throws -> [(path: String, bytes: Data)] {
        let paths = FileManager.default.enumerator(atPath: container.string)?.compactMap { $0 as? String } ?? []
        return try paths.map { ($0, URL(filePath: "\(container)/\($0)")) }.filter {
            !$0.1.hasDirectoryPath && FileManager.default.isFile($0.1)
        }
        .map { ($0.0, try Data(contentsOf: $0.1)) }
    }

    @Test func `two devices share documents, and the keeper finds neither names nor texts`() async throws {
        try await withTwoDevices(.encrypted) { laptop, desktop in
            try await runShell(
                "mkdir cloud/Taxes && echo 'my salary' > cloud/Taxes/'Income 2026.txt' && setfattr -n user.mood -v worried cloud/Taxes/'Income 2026.txt'",
                in: laptop.documents)
            try LargeContent(pieces: 3).write(to: laptop.cloud / "Film.bin")
            try await laptop.waitUntilUploaded(laptop.cloud / "Film.bin")
            let shared = desktop.cloud / "Taxes/Income 2026.txt"
            try await eventually { try shared.text() == "my salary\n" }
            #expect(try shared.attribute("user.mood") == "worried")
            try await eventually { (desktop.cloud / "Film.bin").exists }
            try await runShell(
                "cmp '\(laptop.cloud)/Film.bin' '\(desktop.cloud)/Film.bin' && echo more >> '\(shared)'",
                in: desktop.documents)
            try await eventually { try (laptop.cloud / "Taxes/Income 2026.txt").text() == "my salary\nmore\n" }
            let files = try kept(laptop.cloudDirectory.path)
            #expect(files.count > 6)
            for word in ["salary", "Income", "Taxes", "Film", "worried", "Laptop", "Desktop", MountOptions.passphrase] {
                #expect(
                    !files.contains { $0.path.contains(word) || $0.bytes.firstRange(of: Data(word.utf8)) != nil },
                    "\(word)")
            }
            #expect(try laptop.treeState()["cloud.encrypted"] == "yes")
            #expect(try await laptop.docfs("check", laptop.mountpoint.string).exitStatus == 0)
            // The key is needed once.
            #expect(try await runShell("stat -c %a cloud-keys.json", in: laptop.store).standardOutput == "600\n")
            try await laptop.unmount()
            #expect(try await mountWithoutTerminal(laptop).exitStatus == 0)
            #expect(try (laptop.cloud / "Taxes/Income 2026.txt").text() == "my salary\nmore\n")
        }
    }

    @Test func `a device joins with the passphrase or the recovery key, and with nothing else`() async throws {
        try await withUnmountedDevices(["Laptop", "Desktop", "Phone"]) { devices in
            let (laptop, desktop, phone) = (devices[0], devices[1], devices[2])
            let url = laptop.cloudDirectory.url
            let unasked = try await mountWithoutTerminal(laptop, "--cloud", url, "--encrypt")
            #expect(
                unasked.exitStatus == 1 && unasked.oneErrorLine?.contains("--passphrase-file") == true, "\(unasked)")
            let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "Grüße")
            #expect(made.exitStatus == 0, "\(made)")
            let recoveryKey = try made.recoveryKey
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            #expect(try !(laptop.store / "cloud-keys.json").text().contains(recoveryKey))

            let none = try await mountWithoutTerminal(desktop, "--cloud", url)
            #expect(
                none.exitStatus == 1 && none.oneErrorLine?.contains("the container is encrypted") == true, "\(none)")
            let wrong = try await desktop.mountEncrypted("--cloud", url, passphrase: "Gruesse")
            #expect(
                wrong.exitStatus == 1
                    && wrong.oneErrorLine?.contains("neither the passphrase nor the recovery key") == true, "\(wrong)")
            let joined = try await desktop.mountEncrypted("--cloud", url, passphrase: "Grüße")
            #expect(joined.exitStatus == 0 && !joined.standardOutput.contains("recovery key"), "\(joined)")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan" }
            let recovered = try await phone.mountEncrypted("--cloud", url, passphrase: recoveryKey.lowercased())
            #expect(recovered.exitStatus == 0, "\(recovered)")
            try await eventually { try (phone.cloud / "Plan.txt").text() == "plan" }
        }
    }

    @Test func `a plain container stays plain, and its documents move to an encrypted one`() async throws {
        try await withDevice(.plain) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            try await device.unmount()
            let refused = try await device.mountEncrypted("--encrypt", passphrase: "secret")
            #expect(
                refused.exitStatus == 1 && refused.oneErrorLine?.contains("is not encrypted, and stays so") == true,
                "\(refused)")
            let new = device.folder / "new container"
            try new.makeFolder()
            let url = "file://\(device.folder)/new%20container"
            let untold = try await device.mountEncrypted("--cloud", url, "--encrypt", passphrase: "secret")
            #expect(
                untold.exitStatus == 1 && untold.oneErrorLine?.contains("--move-to-this-cloud") == true, "\(untold)")
            #expect(try kept(new).isEmpty)
            let moved = try await device.mountEncrypted(
                "--cloud", url, "--encrypt", "--move-to-this-cloud", passphrase: "secret")
            #expect(moved.exitStatus == 0, "\(moved)")
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            #expect(try !kept(new).contains { $0.bytes.firstRange(of: Data("plan".utf8)) != nil })
            try await device.unmount()
            #expect(try await mountWithoutTerminal(device).exitStatus == 0)
            #expect(try device.treeState()["cloud.encrypted"] == "yes")
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
            #expect(try await device.docfs("check", device.mountpoint.string).exitStatus == 0)
        }
    }

    /// GNOME's, on a session bus of its own. It ends with the session.
    @Test func `the passphrase comes from the desktop's keyring where that has it`() async throws {
        try await withUnmountedDevices(["Laptop", "Phone"]) { devices in
            let (laptop, phone) = (devices[0], devices[1])
            let url = laptop.cloudDirectory.url
            let program = try DocfsBinary.path.string
            func command(_ device: Device, _ options: String) -> String {
                "setsid --wait '\(program)' mount '\(device.mountpoint)' --store '\(device.store)' --no-notifications \(options)"
            }
            func keep(_ passphrase: String) -> String {
                "printf %s '\(passphrase)' | secret-tool store --label docfs service docfs cloud '\(url)'"
            }
            let session = try await runProgram(
                "env",
                [
                    "HOME=\(laptop.folder)", "dbus-run-session", "--", "sh", "-c",
                    """
                    printf login | gnome-keyring-daemon --unlock --components=secrets > /dev/null
                    \(command(laptop, "--cloud '\(url)' --encrypt")); echo "empty: $?"
                    \(keep("open sesame"))
                    \(command(laptop, "--cloud '\(url)' --encrypt")); echo "made: $?"
                    \(command(phone, "--cloud '\(url)'")); echo "joined: $?"
                    '\(program)' unmount '\(phone.mountpoint)'
                    rm '\(phone.store)/cloud-keys.json'
                    \(keep("another"))
                    \(command(phone, "")); echo "wrong: $?"
                    """,
                ], in: laptop.folder)
            let lines = session.standardOutput.split(separator: "\n")
            #expect(
                ["empty: 1", "made: 0", "joined: 0", "wrong: 1"].allSatisfy { lines.contains($0[...]) }, "\(session)")
            #expect(session.standardError.contains("needs a passphrase"), "\(session)")
            // A passphrase that was changed since is none: a person is asked.
            #expect(session.standardError.contains("the container is encrypted: say its passphrase"), "\(session)")
            #expect(try await phone.mountEncrypted(passphrase: "open sesame").exitStatus == 0)
        }
    }

    @Test func `the passphrase is changed, and no content is sent again`() async throws {
        try await withUnmountedDevices(["Laptop", "Desktop", "Phone"]) { devices in
            let (laptop, desktop, phone) = (devices[0], devices[1], devices[2])
            let (url, container) = (laptop.cloudDirectory.url, laptop.cloudDirectory.path)
            let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "old secret")
            let key = try made.recoveryKey
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            let before = Set(try kept(container).filter { !$0.path.hasPrefix("key-") }.map(\.path))
            try (laptop.folder / "new").write("new secret\n")
            let changed = try await laptop.docfs(
                "passphrase", laptop.mountpoint.string, "--passphrase-file", "\(laptop.folder)/new")
            #expect(changed.exitStatus == 0, "\(changed)")
            #expect(Set(try kept(container).filter { !$0.path.hasPrefix("key-") }.map(\.path)).isSuperset(of: before))
            // The mount that goes on makes lost key objects again with the new passphrase.
            try await runShell("rm key-*", in: container)
            #expect(try await laptop.docfs("check", "--repair", laptop.mountpoint.string).exitStatus == 0)
            let old = try await desktop.mountEncrypted("--cloud", url, passphrase: "old secret")
            #expect(old.exitStatus == 1 && old.oneErrorLine?.contains("neither the passphrase") == true, "\(old)")
            #expect(try await desktop.mountEncrypted("--cloud", url, passphrase: "new secret").exitStatus == 0)
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan" }
            #expect(try await phone.mountEncrypted("--cloud", url, passphrase: key).exitStatus == 0)
            // A device that has joined goes on, and asks for nothing.
            try await laptop.unmount()
            #expect(try await mountWithoutTerminal(laptop).exitStatus == 0)
            #expect(try (laptop.cloud / "Plan.txt").text() == "plan")
            // A recovery key is no passphrase, and a plain container has none.
            try (laptop.folder / "new").write(key + "\n")
            let refused = try await laptop.docfs(
                "passphrase", laptop.mountpoint.string, "--passphrase-file", "\(laptop.folder)/new")
            #expect(refused.exitStatus == 1 && refused.oneErrorLine?.contains("recovery key") == true, "\(refused)")
        }
        try await withDevice(.plain) { device in
            let refused = try await device.docfs("passphrase", device.mountpoint.string)
            #expect(refused.exitStatus == 1 && refused.oneErrorLine?.contains("is not encrypted") == true, "\(refused)")
        }
    }

    @Test func `who gave a passphrase, or has an encrypted container, gets no plain one unasked`() async throws {
        try await withUnmountedDevices(["Laptop"]) { devices in
            let laptop = devices[0]
            let url = laptop.cloudDirectory.url
            let mistyped = try await laptop.mountEncrypted("--cloud", url, passphrase: "secret")
            #expect(
                mistyped.exitStatus == 1 && mistyped.oneErrorLine?.contains("there is no encrypted container") == true,
                "\(mistyped)")
            #expect(try !laptop.cloudDirectory.path.listing().contains("container"))
            #expect(try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "secret").exitStatus == 0)
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            try await laptop.unmount()

            let new = laptop.folder / "new container"
            try new.makeFolder()
            let move = ["--cloud", "file://\(laptop.folder)/new%20container", "--move-to-this-cloud"]
            let unasked = try await laptop.mountEncrypted(move[0], move[1], move[2])
            #expect(unasked.exitStatus == 1 && unasked.oneErrorLine?.contains("--no-encrypt") == true, "\(unasked)")
            #expect(try kept(new).isEmpty)
            #expect(try await laptop.mountEncrypted(move[0], move[1], move[2], "--no-encrypt").exitStatus == 0)
            #expect(try await laptop.docfs("wait", laptop.mountpoint.string).exitStatus == 0)
            #expect(try kept(new).contains { $0.bytes == Data("plan".utf8) })
            #expect(try laptop.treeState()["cloud.encrypted"] == nil)
            try await laptop.unmount()
            #expect(try await mountWithoutTerminal(laptop).exitStatus == 0)
        }
    }

    @Test func `a store without its key asks for it, and takes nothing else for its container`() async throws {
        try await withDevice(.encrypted) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            try await device.unmount()
            let (keys, container) = (device.store / "cloud-keys.json", device.cloudDirectory.path)
            let text = try keys.text()
            try keys.write(text.replacingOccurrences(of: "\"key\" : \"", with: "\"key\" : \"x"))
            let damaged = try await mountWithoutTerminal(device)
            #expect(
                damaged.exitStatus == 1 && damaged.oneErrorLine?.contains("is damaged; remove it") == true, "\(damaged)"
            )
            try await runShell("rm cloud-keys.json", in: device.store)
            let unasked = try await mountWithoutTerminal(device)
            #expect(
                unasked.exitStatus == 1 && unasked.oneErrorLine?.contains("the container is encrypted") == true,
                "\(unasked)")
            try await runShell("mkdir ../away && mv key-1 key-2 ../away/", in: container)
            for options in [[], ["--encrypt"]] {
                let lost = try await device.attemptMount(
                    ["mount", device.mountpoint.string, "--store", device.store.string] + options)
                #expect(
                    lost.exitStatus == 1 && lost.oneErrorLine?.contains("can make it whole") == true, "\(lost)")
            }
            #expect(try !container.listing().contains { $0.hasPrefix("key") || $0 == "container" })
            try await runShell("mv ../away/* .", in: container)
            try await device.mount()
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
        }
    }

    @Test func `a recovery key is told until somebody could read it, also after an interrupted mount`() async throws {
        try await withUnmountedDevices(["Laptop", "Phone"]) { devices in
            let (laptop, phone) = (devices[0], devices[1])
            let url = laptop.cloudDirectory.url
            try (laptop.folder / "passphrase").write("secret\r\n")
            let program = try DocfsBinary.path.string
            let mount =
                "'\(program)' mount '\(laptop.mountpoint)' --store '\(laptop.store)' --no-notifications --passphrase-file passphrase"
            // Nobody reads what a full disk has not taken.
            let unread = try await runProgram(
                "sh", ["-c", "\(mount) --cloud '\(url)' --encrypt > /dev/full"], in: laptop.folder)
            #expect(unread.exitStatus == 1, "\(unread)")
            try await laptop.unmount()
            // As if it had been killed before it could see that the container has its key.
            let keys = laptop.store / "cloud-keys.json"
            let text = try keys.text()
            #expect(text.contains("\"isEstablished\" : true"))
            try keys.write(text.replacingOccurrences(of: "\"isEstablished\" : true", with: "\"isEstablished\" : false"))
            let told = try await mountWithoutTerminal(laptop)
            #expect(told.exitStatus == 0, "\(told)")
            let key = try told.recoveryKey
            try await laptop.unmount()
            let again = try await mountWithoutTerminal(laptop)
            #expect(again.exitStatus == 0 && !again.standardOutput.contains("recovery key"), "\(again)")
            #expect(try !keys.text().contains(key))
            #expect(try await phone.mountEncrypted("--cloud", url, passphrase: key).exitStatus == 0)
            try await phone.unmount()
            // A line end of Windows is no part of a passphrase.
            try await runShell("rm cloud-keys.json", in: phone.store)
            #expect(try await phone.mountEncrypted("--cloud", url, passphrase: "secret").exitStatus == 0)
        }
    }

    @Test func `a container that was to be made while nobody could see whether it was, has one key`() async throws {
        try await withUnmountedDevices(["Laptop"]) { devices in
            let laptop = devices[0]
            let (url, container) = (laptop.cloudDirectory.url, laptop.cloudDirectory.path)
            #expect(try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "secret").exitStatus == 0)
            try await laptop.unmount()
            let keys = laptop.store / "cloud-keys.json"
            let text = try keys.text()
            try keys.write(text.replacingOccurrences(of: "\"isEstablished\" : true", with: "\"isEstablished\" : false"))
            // The key object is to come yet.
            try await runShell(
                "rm -r * && find '\(laptop.store)' -mindepth 1 ! -name cloud-keys.json -delete", in: container)
            let key = try #require(text.range(of: "\"key\" : \"").map { text[$0.upperBound...].prefix(64) })
            let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "another")
            #expect(made.exitStatus == 0, "\(made)")
            #expect(try keys.text().contains(key) && container.listing().contains("key-1"))
            try await laptop.unmount()

            // It was interrupted, and is begun again without the option: nothing plain is made.
            let established = try keys.text()
            try keys.write(
                established.replacingOccurrences(of: "\"isEstablished\" : true", with: "\"isEstablished\" : false"))
            try await runShell(
                "rm -r * && find '\(laptop.store)' -mindepth 1 ! -name cloud-keys.json -delete", in: container)
            let plain = try await mountWithoutTerminal(laptop, "--cloud", url)
            #expect(plain.exitStatus == 1 && plain.oneErrorLine?.contains("needs a passphrase") == true, "\(plain)")
            #expect(try !container.listing().contains("container"))
            // Somebody has made a plain one since the key object came: it is theirs.
            #expect(try await laptop.mountEncrypted("--cloud", url, passphrase: "another").exitStatus == 0)
            try await laptop.unmount()
            try keys.write(
                established.replacingOccurrences(of: "\"isEstablished\" : true", with: "\"isEstablished\" : false"))
            try (container / "container").write("{\"format\":1,\"id\":\"00000000-0000-4000-8000-000000000000\"}\n")
        }
    }

    @Test func `a move to a place where a container was once takes a new key and a new passphrase`() async throws {
        try await withDevice(.encrypted) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            try await device.unmount()
            let (first, other) = (device.cloudDirectory.path, device.folder / "other")
            try other.makeFolder()
            let moved = try await device.mountEncrypted(
                "--cloud", "file://\(other)", "--encrypt", "--move-to-this-cloud", passphrase: "second")
            #expect(moved.exitStatus == 0, "\(moved)")
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            try await device.unmount()
            try await runShell("find . -mindepth 1 -delete", in: first)
            let back = try await device.mountEncrypted(
                "--cloud", device.cloudDirectory.url, "--encrypt", "--move-to-this-cloud", passphrase: "third")
            #expect(back.exitStatus == 0, "\(back)")
            let key = try back.recoveryKey
            #expect(try await device.docfs("wait", device.mountpoint.string).exitStatus == 0)
            for (secret, status) in [(MountOptions.passphrase, Int32(1)), ("second", 1), ("third", 0), (key, 0)] {
                try await withUnmountedDevice(.plain) { newcomer in
                    let joined = try await newcomer.mountEncrypted(
                        "--cloud", device.cloudDirectory.url, passphrase: secret)
                    #expect(joined.exitStatus == status, "\(secret): \(joined)")
                }
            }
        }
    }

    @Test(.tags(.long))
    func `attack: a container that is encrypted is not taken for a plain one, even if it was away at the mount`()
        async throws
    {
        let server = try await S3Server.shared()
        let holder = try HeldServer(before: server.port)
        let options = MountOptions(environment: try server.environment()).plain
        let url = server.url(through: holder)
        try await withUnmountedDevice(options) { laptop in
            try await withUnmountedDevice(options) { desktop in
                let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "secret")
                #expect(made.exitStatus == 0, "\(made)")
                try (laptop.cloud / "Plan.txt").create("plan")
                try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
                holder.hold(.replies, after: 0)
                let late = try await desktop.mountEncrypted("--cloud", url, "--timeout", "2")
                #expect(late.exitStatus == 0, "\(late)")
                holder.release()
                try (desktop.cloud / "Secret plan.txt").create("plan")
                try await eventually {
                    try desktop.treeState()["cloud.connection"]?.contains(
                        "is encrypted, and this device does not have its key") == true
                }
                let repair = try await desktop.docfs("check", "--repair", desktop.mountpoint.string)
                #expect(repair.exitStatus == 1, "\(repair)")
                try await desktop.unmount()
                let joined = try await desktop.mountEncrypted("--cloud", url, passphrase: "secret")
                #expect(joined.exitStatus == 0, "\(joined)")
                try await eventually { try (laptop.cloud / "Secret plan.txt").text() == "plan" }
            }
        }
    }

    @Test func `attack: a plain container in the place of the encrypted one gets nothing`() async throws {
        try await withDevice(.encrypted) { device in
            try (device.cloud / "Plan.txt").create("plan")
            try await device.waitUntilUploaded(device.cloud / "Plan.txt")
            try await device.unmount()
            let container = device.cloudDirectory.path
            try await runShell(
                "rm -r objects key-1 key-2 && mkdir log && echo '{\"format\":1,\"id\":\"00000000-0000-4000-8000-000000000000\"}' > container",
                in: container)
            try await device.mount()
            try await eventually { try device.treeState()["cloud.connection"] != "online" }
            try (device.cloud / "Secret plan.txt").create("secret")
            let files = try kept(container)
            #expect(!files.contains { $0.path.contains("lan") || $0.bytes.firstRange(of: Data("secret".utf8)) != nil })
            #expect(try (device.cloud / "Plan.txt").text() == "plan")
            // What the device has makes the container whole, encrypted as before.
            #expect(try await device.docfs("check", "--repair", device.mountpoint.string).exitStatus == 0)
            try await device.waitUntilUploaded(device.cloud / "Secret plan.txt")
            #expect(try container.listing().contains("key-1") && container.listing().contains("key-2"))
            #expect(try !kept(container).contains { $0.bytes.firstRange(of: Data("secret".utf8)) != nil })
        }
    }

    /// What `docfs check` says of the end of the log: the number of the entry, and its eight words.
    private func code(_ device: Device) async throws -> (entry: String, words: String) {
        let checked = try await device.docfs("check", device.mountpoint.string)
        let line = try #require(checked.standardOutput.split(separator: "\n").first { $0.hasPrefix("code: ") })
        let words = line.split(separator: " ").dropFirst().prefix(8).joined(separator: " ")
        let entry = try #require(line.split(separator: "(entry ").last?.prefix { $0 != "," })
        return (String(entry), words)
    }

    @Test func `attack: a log that goes on in two ways is told by eight words, and by the devices when they meet`()
        async throws
    {
        try await withTwoDevices(.encrypted) { laptop, desktop in
            let container = laptop.cloudDirectory.path
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            try await eventually { try (desktop.cloud / "Plan.txt").text() == "plan" }
            let (first, second) = (try await code(laptop), try await code(desktop))
            #expect(first == second)
            try await laptop.unmount()
            try await desktop.unmount()
            // The keeper shows each device another continuation.
            try await runShell("cp -a '\(container)' fork", in: laptop.folder)
            try await laptop.mount()
            try (laptop.cloud / "Income.txt").create("much")
            try await laptop.waitUntilUploaded(laptop.cloud / "Income.txt")
            let ofLaptop = try await code(laptop)
            try await laptop.unmount()
            try await runShell("mv '\(container)' away && mv fork '\(container)'", in: laptop.folder)
            try await desktop.mount()
            try (desktop.cloud / "Debts.txt").create("many")
            try await desktop.waitUntilUploaded(desktop.cloud / "Debts.txt")
            let ofDesktop = try await code(desktop)
            #expect(ofLaptop.entry == ofDesktop.entry && ofLaptop.words != ofDesktop.words)
            #expect(ofLaptop.words != first.words)
            // They meet in one log.
            try await laptop.mount()
            try await eventually { try laptop.treeState()["cloud.connection"] != "online" }
            #expect(try await laptop.docfs("check", laptop.mountpoint.string).exitStatus == 1)
            #expect(try (laptop.cloud / "Income.txt").text() == "much" && !(laptop.cloud / "Debts.txt").exists)
        }
    }

    @Test func `attack: a newcomer that is shown an old state is told how old it is`() async throws {
        try await withUnmountedDevices(["Laptop", "Phone", "Tablet"]) { devices in
            let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
            let (url, container) = (laptop.cloudDirectory.url, laptop.cloudDirectory.path)
            let made = try await laptop.mountEncrypted("--cloud", url, "--encrypt", passphrase: "secret")
            #expect(made.exitStatus == 0 && !made.standardOutput.contains("later change"), "\(made)")
            // The laptop joins with an entry of the log.
            try await eventually {
                try await laptop.docfs("devices", laptop.mountpoint.string).standardOutput.contains("this device")
            }
            let first = try await tablet.mountEncrypted("--cloud", url, passphrase: "secret")
            #expect(first.standardOutput.contains("The cloud's last change is of 20"), "\(first)")
            try await eventually {
                try await laptop.docfs("devices", "--json", laptop.mountpoint.string).standardOutput.matches(
                    of: /joined/
                ).count == 2
            }
            try (laptop.cloud / "Plan.txt").create("plan")
            try await laptop.waitUntilUploaded(laptop.cloud / "Plan.txt")
            try await runShell("cp -a '\(container)' old", in: laptop.folder)
            let checked = try await laptop.docfs("check", laptop.mountpoint.string).standardOutput
            let told = try #require(checked.firstMatch(of: /\(entry \d+, (\S+, by .+)\);/)?.output.1)
            try (laptop.cloud / "Income.txt").create("much")
            try await laptop.waitUntilUploaded(laptop.cloud / "Income.txt")
            try await laptop.unmount()
            try await runShell("mv '\(container)' away && mv old '\(container)'", in: laptop.folder)
            let joined = try await phone.mountEncrypted("--cloud", url, passphrase: "secret")
            #expect(joined.exitStatus == 0, "\(joined)")
            #expect(joined.standardOutput.contains("The cloud's last change is of \(told)."), "\(joined)")
            // It is said to newcomers.
            try await phone.unmount()
            let again = try await mountWithoutTerminal(phone)
            #expect(again.exitStatus == 0 && !again.standardOutput.contains("last change"), "\(again)")
        }
    }
}

extension FileManager {
    fileprivate func isFile(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
