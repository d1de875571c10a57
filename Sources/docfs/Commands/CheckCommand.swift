import ArgumentParser
import CLinux
import Filesystem
import Foundation
import Glibc
import SystemPackage

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check that the cloud has all that it should have.",
        discussion: """
            Reads the whole log of the cloud container, and looks for the content of every document. With --repair, a container that \
            lost entries, was rolled back, emptied or replaced is made whole from what this device has, and contents that are missing \
            are sent again if they are here. Nothing is lost by it.
            """)

    @Argument(help: "The mountpoint, or any path below it.")
    var path: String = "."

    @Flag(help: "Make whole what is not.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    private static let pause: UInt32 = 100_000

    func run() throws {
        try CommandFailure.reported {
            let mount = try MountedTree(holding: path)
            try mount.askForCheckup(repairs: repair)
            let reply = try wait(for: mount)
            switch reply {
            case .good(let lines): try show(lines, isWhole: true)
            case .bad(let lines):
                try show(lines, isWhole: false)
                throw CommandFailure(
                    "the cloud is not whole\(repair ? "" : "; `docfs check --repair` mends what can be mended from here")"
                )
            case .failed(let reason): throw CommandFailure("the cloud could not be checked: \(reason)")
            case .idle, .running: throw CommandFailure("the check was given up")
            }
        }
    }

    private func wait(for mount: MountedTree) throws -> CheckupReply {
        let bar = ProgressBar("checking the cloud")
        defer { bar.clear() }
        while true {
            let reply = try mount.checkup()
            guard case .running(let percent) = reply else { return reply }
            bar.show(percent)
            usleep(Self.pause)
        }
    }

    private func show(_ lines: [String], isWhole: Bool) throws {
        guard json else { return lines.forEach { print($0) } }
        struct Output: Encodable { let isWhole: Bool, findings: [String] }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(Output(isWhole: isWhole, findings: lines)), as: UTF8.self))
    }
}

/// A line on the terminal that shows how far something is; nothing where there is no terminal.
private struct ProgressBar {
    private let title: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private static let width = 30

    init(_ title: String) { self.title = title }

    func show(_ percent: Int) {
        let filled = min(max(percent, 0), 100) * Self.width / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        write("\r\(title) [\(bar)] \(percent) %")
    }

    func clear() { write("\r\u{1b}[K") }

    private func write(_ text: String) {
        if isShown { FileHandle.standardError.write(Data(text.utf8)) }
    }
}

extension MountedTree {
    fileprivate func askForCheckup(repairs: Bool) throws {
        let word = Array((repairs ? "repair" : "check").utf8)
        if setxattr(mountpoint, MountAttribute.checkup.rawValue, word, word.count, 0) == 0 { return }
        if errno == EBUSY { throw CommandFailure("the cloud is being checked already") }
        throw CommandFailure("the mount at \(mountpoint) cannot be asked to check the cloud: \(Errno(rawValue: errno))")
    }

    fileprivate func checkup() throws -> CheckupReply {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = getxattr(mountpoint, MountAttribute.checkup.rawValue, &bytes, bytes.count)
        guard count > 0, let reply = CheckupReply(String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            throw CommandFailure(
                "the mount at \(mountpoint) does not say how the check went: \(Errno(rawValue: errno))")
        }
        return reply
    }
}
