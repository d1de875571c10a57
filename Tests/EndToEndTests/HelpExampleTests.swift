import Foundation
import MountSupport
import SystemPackage
import TestSupport
import Testing

/// Carries out each example of each help text, as a person would who copies it into a shell.
@Suite(.mounting, .timeLimit(.minutes(15)))
struct HelpExampleTests {
    private struct Help: Decodable {
        struct Command: Decodable {
            let commandName: String
            let discussion: String?
            let subcommands: [Command]?
        }

        let command: Command
    }

    /// What follows `Example:` on its line, and the lines that are set in after `Examples:`.
    private func examples(in text: String) -> [String] {
        var found: [String] = []
        var isList = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let range = line.firstRange(of: "Example: ") {
                found.append(String(line[range.upperBound...]))
            } else if line == "Examples:" {
                isList = true
            } else if isList, line.hasPrefix("  ") {
                found.append(line.trimmingCharacters(in: .whitespaces))
            } else {
                isList = false
            }
        }
        return found
    }

    private func allExamples() async throws -> [(command: String, examples: [String])] {
        let dump = try await runProgram(try DocfsBinary.path.string, ["--experimental-dump-help"])
        let help = try JSONDecoder().decode(Help.self, from: Data(dump.standardOutput.utf8))
        func all(_ command: Help.Command, _ path: String) -> [(String, [String])] {
            let own = (path, examples(in: command.discussion ?? ""))
            let inner = (command.subcommands ?? []).filter { $0.commandName != "help" }
            return [own] + inner.flatMap { all($0, "\(path) \($0.commandName)") }
        }
        return all(help.command, "docfs")
    }

    /// A home folder with a mount at ~/docs, and the programs that an example may start beside docfs.
    private static let beginning = """
        set -e
        mkdir ~/docs ~/nas ~/photos ~/bin
        echo picture >~/photos/a.jpg
        ln -s "$BINARY" ~/bin/docfs
        for program in poweroff vimdiff xdg-open; do printf '#!/bin/sh\\n' >~/bin/$program; done
        printf '#!/bin/sh\\nexec cat\\n' >~/bin/less
        chmod +x ~/bin/poweroff ~/bin/vimdiff ~/bin/xdg-open ~/bin/less
        export PATH=~/bin:$PATH EDITOR=true
        unset XDG_DATA_HOME
        trap 'cd ~; ! mountpoint -q ~/docs || docfs unmount ~/docs' EXIT
        docfs mount ~/docs >/dev/null
        cd ~/docs/Documents/cloud
        mkdir Holiday Work
        for name in Holiday/Beach.txt Tickets.pdf Groceries.txt; do echo "$name" >$name; done
        echo one >Plan.txt
        docfs wait

        """

    private static let moreVersions = """
        for text in two three; do echo $text >Plan.txt; docfs wait; done

        """

    private static let encryptedMount = """
        cd ~; docfs unmount ~/docs
        rm -r ~/.local/share/docfs*
        export DOCFS_PASSPHRASE=secret
        docfs mount ~/docs --encrypt >/dev/null

        """

    /// A device that has joined, and is gone.
    private static let joiningPhone = """
        url=$(sed -n 's/^cloud.url: //p' ~/docs/Documents/.state)
        mkdir ~/phone
        DOCFS_PASSPHRASE=secret docfs mount ~/phone --store ~/phone-store --cloud "$url" --device-name Phone >/dev/null
        until docfs devices ~/docs | grep -q Phone; do sleep 0.1; done
        docfs unmount ~/phone

        """

    /// What must be so before an example, where it is carried out, and with which status it may end.
    private func script(_ example: String) -> (text: String, statuses: Set<Int32>) {
        var example = example
        var before = ""
        var statuses: Set<Int32> = [0]
        if example.contains("version") {
            before = Self.moreVersions
        } else if example.hasPrefix("docfs mount") {
            before = "cd ~; docfs unmount ~/docs\n"
            if example.contains("--cloud") { before += "rm -r ~/.local/share/docfs*\n" }
            if example.contains("--encrypt") { before += "export DOCFS_PASSPHRASE=secret\n" }
            example.replace("file:///mnt/nas", with: "file://$HOME/nas")
        } else if example.hasPrefix("docfs encrypt") {
            before = "cd ~; export DOCFS_PASSPHRASE=secret\n"
        } else if ["docfs passphrase", "docfs key", "docfs devices"].contains(where: example.hasPrefix) {
            before = Self.encryptedMount
            if example.contains("remove Phone") { before += Self.joiningPhone }
            before += "export DOCFS_PASSPHRASE='another secret'; cd ~/docs\n"
        } else if example.contains("--store") || example.contains("unmount") || example.contains("photos") {
            before = "cd ~\n" + (example.contains("--store") ? "docfs unmount ~/docs\n" : "")
        } else if example.contains(" cloud/") {
            before = "cd ..\n"
        } else if example.contains("trash restore") {
            before = "rm Groceries.txt Plan.txt\n"
        } else if example.contains("undo 3") {
            before = "for n in 1 2 3; do bash -c \"echo $n >Another$n.txt\"; done\n"
        }
        example.replace("\"Laptop 2026-11-21 04.12.33.txt\"", with: "\"$(ls Plan.txt.versions | head -n 1)\"")
        if ["docfs watch", "docfs browse"].contains(where: example.hasPrefix) || example.contains("--watch") {
            // They go on until somebody interrupts them.
            example = "timeout --preserve-status -s INT 2 \(example)"
            statuses = [130]
        }
        return (Self.beginning + before + example + "\n", statuses)
    }

    @Test(.tags(.long)) func `each example of each help text does what it says`() async throws {
        let all = try await allExamples()
        let without = all.filter(\.examples.isEmpty).map(\.command)
        #expect(without == ["docfs", "docfs states", "docfs json"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, example) in all.flatMap(\.examples).enumerated() {
                if index >= Self.atOnce { try await group.next() }
                group.addTask { try await carryOut(example) }
            }
            try await group.waitForAll()
        }
    }

    private static let atOnce = 4

    private func carryOut(_ example: String) async throws {
        try await withTemporaryFolder { home in
            let (text, statuses) = script(example)
            let result = try await runProgram(
                "timeout", ["300", "bash", "-c", text], in: FilePath(home),
                environment: ["HOME": home, "BINARY": try DocfsBinary.path.string])
            #expect(statuses.contains(result.exitStatus), "`\(example)`: \(result.standardError)")
        }
    }
}
