import ArgumentParser
import Documents
import Glibc

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices of an encrypted container, and remove one.",
        discussion: """
            Each device signs what it writes to an encrypted container with a key of its own, and joins with the first thing that it writes. In a \
            plain container anybody can write in the name of any device, so that there is no such list.

            Examples:
              docfs devices
              docfs devices remove Phone ~/docs
            """,
        subcommands: [ListDevices.self, RemoveDevice.self], defaultSubcommand: ListDevices.self)
}

struct ListDevices: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices, in the order in which they joined.",
        discussion: """
            Columns: name, when it joined and when it wrote last (each by its own clock), and which one is this device. Two devices of one name are told \
            apart by their ids, which --json tells.

            Example: docfs devices list ~/docs
            """)

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @Flag(help: "Print JSON: an array of objects with id, name, joined, wrote and isThisDevice.")
    var json = false

    func run() throws {
        try CommandFailure.reported {
            let devices = try EncryptedContainer(of: MountedTree(holdingOrNearest: path)).devices()
            if json { return try Output.json(devices) }
            let facts = TerminalFacts.of(STDOUT_FILENO)
            var table = TextTable(
                devices.map { device in
                    [
                        StyledText(device.name), .time(iso8601: device.joined, on: facts),
                        .time(iso8601: device.wrote, on: facts),
                        StyledText(device.isThisDevice ? "this device" : "", .faint),
                    ]
                })
            table.hasColor = facts.hasColor
            try Output.write(table.text)
        }
    }
}

struct RemoveDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a device that was lost: it can neither read nor write what comes.",
        discussion: """
            The container gets a new key for all that is written from now on, as by `docfs key --rotate`, and the device is told so and not given it. What \
            was written until now it can still read, if the keeper or a copy lets it. The new passphrase is asked for on a terminal, or taken from \
            --passphrase-file or DOCFS_PASSPHRASE; do not say it on the removed device. On your other devices `docfs key` takes it.

            Example: docfs devices remove Phone ~/docs
            """)

    @Argument(help: "The device's name or id, as `docfs devices` lists it.")
    var device: String

    @Argument(help: "Any path in the mount. (default: the nearest mount)")
    var path: String?

    @OptionGroup var newPassphrase: NewPassphraseOption

    func run() throws {
        try CommandFailure.reported {
            let container = try EncryptedContainer(of: MountedTree(holdingOrNearest: path))
            let found = try ListedDevice.named(device, among: try container.devices())
            guard let id = DeviceID(found.id) else { throw CommandFailure("\(device.printable) has no id") }
            try KeyChange(container, removing: [id]).carryOut(
                try newPassphrase.told(),
                because:
                    "“\(found.name.printable)” was removed. The container has a new key for all that comes, and the former recovery key opens nothing of it."
            )
        }
    }
}

extension ListedDevice {
    /// The one that a person means.
    ///
    /// - Parameter text: a name or an id.
    static func named(_ text: String, among devices: [ListedDevice]) throws(CommandFailure) -> ListedDevice {
        // A device may be called as the id of another one.
        let identified = devices.filter { $0.id == text.lowercased() }
        let found = identified.isEmpty ? devices.filter { $0.name == text } : identified
        guard let device = found.first else {
            throw CommandFailure("no device of the container is called “\(text.printable)”; `docfs devices` lists them")
        }
        guard found.count == 1 else {
            throw CommandFailure(
                "\(found.count) devices are called “\(text.printable)”; name one by its id, which `docfs devices --json` tells"
            )
        }
        if device.isThisDevice {
            throw CommandFailure("“\(text.printable)” is this device; remove it on another one")
        }
        return device
    }
}
